import { brandedPage, englishTexts } from 'authgraph/service'
import { arabicTexts } from './arabic.ts'
import { germanTexts } from './german.ts'

const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
  <rect width="40" height="40" rx="10" fill="#c2410c"/>
  <path d="M11 29l9-19 9 19M15 23h10"
    fill="none" stroke="#fff" stroke-width="3.5" stroke-linejoin="round"/>
</svg>`

export const page = brandedPage({
  name: 'Acme',
  logo,
  accent: '#c2410c',
  help: 'https://acme.example/help/devices',
  switchAccount: '/switch-account',
  texts: {
    en: {
      ...englishTexts,
      scopes: {
        'orders:read': 'See your orders',
        'orders:admin': 'Change and delete all orders',
      },
    },
    de: germanTexts,
    ar: arabicTexts,
  },
})
