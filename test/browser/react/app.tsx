import { StrictMode, useState } from 'react'
import { SignIn } from '../../guides/browser/login-react.tsx'

/** The component of the guide, which the user can close. */
export function App() {
  const [isOpen, setOpen] = useState(true)
  const [scopes, setScopes] = useState<readonly string[]>()
  return (
    <StrictMode>
      {isOpen && <SignIn clientId="id" onToken={(token) => setScopes(token.scopes)} />}
      {scopes && <output>Scopes: {scopes.length}</output>}
      <button type="button" onClick={() => setOpen(false)}>
        Close
      </button>
    </StrictMode>
  )
}
