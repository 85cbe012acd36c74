// @ts-check
import { cpSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { JSX, RendererEvent } from 'typedoc'

/** The page that `vite build docs/live` has built. */
const PAGE = resolve(import.meta.dirname, '../live/dist')

/**
 * Puts the live page into the site, and a way to it onto every page.
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
