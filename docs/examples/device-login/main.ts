/// <reference types="vite/client" />
import { createDeviceAuthorization, github, viewOf, watchActor } from 'authgraph'
import picture from '../../machines/device-authorization.svg?raw'

const find = (id: string) => document.getElementById(id) as HTMLElement

find('machine').innerHTML = picture

function start(): () => void {
  const login = createDeviceAuthorization({
    clientId: 'example',
    provider: github({ authUrl: location.origin }),
  })
  const show = () => {
    const snapshot = login.getSnapshot()
    const { text, userCode = '', verificationUri, secondsLeft } = viewOf(snapshot, Date.now())
    find('text').textContent = text
    find('code').textContent = userCode
    find('time').textContent = secondsLeft === undefined ? '' : `The code expires in ${secondsLeft} s.`
    find('codes').hidden = verificationUri === undefined
    const address = find('address') as HTMLAnchorElement
    address.href = verificationUri ?? ''
    address.textContent = `Open ${verificationUri?.replace(/^https?:../, '')}`
    for (const state of document.querySelectorAll<SVGElement>('[data-state]'))
      state.classList.toggle('active', snapshot.matches(state.dataset.state as 'waiting'))
  }
  const everySecond = setInterval(show, 1000)
  watchActor(login, show)
  login.start()
  return () => {
    clearInterval(everySecond)
    login.stop()
  }
}

let stop = start()
find('start').addEventListener('click', () => {
  stop()
  stop = start()
})
