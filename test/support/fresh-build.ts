// Some tests run the package as users do: built.
export { buildIfStale as setup } from '../../build/if-stale.js'
