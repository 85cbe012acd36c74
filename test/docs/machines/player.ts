import { setup } from 'xstate'

/** Parallel regions, which one transition enters at two places. */
export const player = setup({}).createMachine({
  id: 'player',
  type: 'parallel',
  states: {
    playback: {
      initial: 'paused',
      states: {
        paused: { on: { play: 'playing' } },
        playing: { on: { pause: 'paused', end: 'paused' } },
      },
    },
    volume: {
      initial: 'normal',
      states: {
        normal: { on: { mute: 'muted' } },
        muted: { on: { unmute: 'normal' } },
      },
    },
  },
  on: { reset: { target: ['.playback.paused', '.volume.normal'] } },
})
