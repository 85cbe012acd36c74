// Some tests run the built package, as users do.
export { buildIfStale as setup } from '../../build/if-stale.js'
