import { github } from 'authgraph'
import { createRoot } from 'react-dom/client'
import { SignIn } from './sign-in.js'

createRoot(document.body).render(
  <SignIn
    clientId="sandbox"
    provider={github({ authUrl: location.origin })}
    onToken={() => undefined}
  />,
)
