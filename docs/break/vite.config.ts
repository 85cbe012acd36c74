import { defineConfig, type Plugin } from 'vite'
import { inOneFile } from '../live/in-one-file.ts'
import { pictures } from '../live/pictures.ts'
import { choiceOf, faultLinks, raceSvg } from './card.ts'
import { raceStyle } from './draw-race.ts'
import { recordRaces } from './record-races.ts'

/** Pixels of the first picture, in a wide window. */
const WIDTH = 1030

/** Inserts the clients, the runs that the build recorded, and the first picture. */
function races(): Plugin {
  return {
    name: 'races',
    enforce: 'post',
    transformIndexHtml: {
      order: 'pre',
      async handler(html) {
        const { clients, recorded } = await recordRaces()
        const choice = choiceOf('')
        const data = JSON.stringify(recorded).replaceAll('<', '\\u003c')
        const parts: Readonly<Record<string, string>> = {
          style: `<style>${raceStyle((color) => `var(--${color})`)}</style>`,
          heading: `<h2 id="title">${choice.fault.title}</h2><p id="text">${choice.fault.text}</p>`,
          faults: faultLinks(recorded, choice),
          picture: raceSvg(recorded, choice, WIDTH),
          data: `<script type="application/json" id="recorded">${data}</script>`,
          clients: `<script>const clients = ${clients.replaceAll('</script', '<\\/script')}</script>`,
        }
        return html.replace(/<!-- race (\w+) -->/g, (_, part) => parts[part] ?? '')
      },
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [pictures(), inOneFile(), races()],
  // The service imports modules of Node only to listen, which this page never does.
  build: { rolldownOptions: { external: /^node:/, checks: { pluginTimings: false } } },
})
