import { StrictMode, useState } from 'react'
import { SignIn } from '../../guides/browser/login-react.tsx'

/** The component of the guide. */
export function App() {
  const [scopes, setScopes] = useState<readonly string[]>()
  return (
    <StrictMode>
      <SignIn clientId="id" onToken={(token) => setScopes(token.scopes)} />
      {scopes && <output>Scopes: {scopes.length}</output>}
    </StrictMode>
  )
}
