import { setup } from 'xstate'

/** A compound state with steps inside, delays by number, and a fault that starts anywhere. */
export const trafficLight = setup({}).createMachine({
  id: 'trafficLight',
  description: 'A traffic light with a light for pedestrians.',
  initial: 'green',
  on: { powerCut: '.dark' },
  states: {
    green: { description: 'Cars go.', after: { 20000: 'yellow' } },
    yellow: { after: { 3000: 'red' } },
    red: {
      description: 'Cars stop.',
      initial: 'walk',
      states: {
        walk: { on: { countdown: 'hurry' } },
        hurry: { after: { 5000: 'wait' } },
        wait: { type: 'final' },
      },
      onDone: 'green',
    },
    dark: { description: 'All lights are off.', on: { powerBack: 'red' } },
  },
})
