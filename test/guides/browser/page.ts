import type { DeviceView, OAuthToken } from 'authgraph'
import { hasFailed, startLogin } from './login.js'

/**
 * Shows a button in an element of the page, and replaces it with a login when
 * it is pressed.
 */
export function showLogin(
  place: Element,
  clientId: string,
  onToken: (token: OAuthToken) => void,
): void {
  const button = document.createElement('button')
  button.textContent = 'Sign in'
  button.onclick = () => {
    const text = document.createElement('p')
    text.role = 'status'
    const link = document.createElement('a')
    const code = document.createElement('code')
    const time = document.createElement('p')
    place.replaceChildren(text, link, code, time)

    const show = (view: DeviceView) => {
      text.textContent = view.error?.message ?? view.text
      link.href = view.verificationUriComplete ?? view.verificationUri ?? ''
      link.textContent = view.verificationUri ?? ''
      code.textContent = view.userCode ?? ''
      time.textContent =
        view.secondsLeft === undefined
          ? ''
          : `${view.secondsLeft} seconds left`
      if (hasFailed(view)) place.replaceChildren(text, button)
    }
    startLogin({ clientId, onToken }, show)
  }
  place.replaceChildren(button)
}
