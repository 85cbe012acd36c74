// @ts-check
import { cpSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { JSX, RendererEvent } from 'typedoc'

/** The output of `vite build docs/live`. */
const PAGE = resolve(import.meta.dirname, '../live/dist')

/**
 * Adds the live page to the site, and a link to it on every page.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    cpSync(PAGE, join(outputDirectory, 'live'), { recursive: true })
  })
  app.renderer.hooks.on('sidebar.begin', (context) =>
    JSX.createElement(
      'a',
      { class: 'live', href: context.relativeURL('live/index.html') ?? '' },
      'Watch a login live',
    ),
  )
}
