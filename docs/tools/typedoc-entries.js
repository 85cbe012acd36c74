// @ts-check
import { Application } from 'typedoc'
import { ENTRIES } from '../../build/entries.js'

/**
 * Documents what users import.
 *
 * @param {Application} app
 */
export function load(app) {
  app.on(Application.EVENT_BOOTSTRAP_END, () =>
    app.options.setValue(
      'entryPoints',
      ENTRIES.map(({ source }) => source),
    ),
  )
}
