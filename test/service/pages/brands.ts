import { brandedPage, englishTexts } from '../../../src/service/index.ts'

const LEAF = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
<style>path { fill: #0f766e } @media (prefers-color-scheme: dark) { path { fill: #5eead4 } }</style>
<path d="M34 5C14 5 5 15 6 31l-2 5h3l1-3c17 1 27-9 26-28zM11 27c5-8 10-12 16-15-7 5-11 10-13 16z"/></svg>`

/** A brand with a bright accent, which no text can have on a white card. */
export const sunnyPage = brandedPage({
  name: 'Fernbank Energy',
  logo: LEAF,
  accent: '#ffd400',
  help: 'mailto:help@fernbank.example',
  switchAccount: 'https://id.fernbank.example/switch',
  texts: { en: { ...englishTexts, scopes: { repo: 'Change the heating schedule of your home' } } },
})
