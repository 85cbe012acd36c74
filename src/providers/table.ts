/**
 * The endpoints of providers that document a device flow, with the pages that document them. `{…}` is a field that the
 * caller fills in; what is between `[` and `]` is left out if the field in it is not given.
 *
 * Gitea (https://docs.gitea.com/development/oauth2-provider) and Forgejo
 * (https://forgejo.org/docs/latest/user/oauth2-provider) are not listed: they document only the authorization code flow.
 */
export const PROVIDERS = {
  // https://www.keycloak.org/securing-apps/oidc-layers
  // PKCE in the device flow: https://github.com/keycloak/keycloak/issues/9710
  keycloak: {
    issuer: '{host}/realms/{realm}',
    deviceAuthorizationEndpoint: '{host}/realms/{realm}/protocol/openid-connect/auth/device',
    tokenEndpoint: '{host}/realms/{realm}/protocol/openid-connect/token',
    revocationEndpoint: '{host}/realms/{realm}/protocol/openid-connect/revoke',
    userinfoEndpoint: '{host}/realms/{realm}/protocol/openid-connect/userinfo',
    jwksUri: '{host}/realms/{realm}/protocol/openid-connect/certs',
  },
  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-device-code
  // https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc
  // https://learn.microsoft.com/entra/identity-platform/userinfo
  entra: {
    issuer: 'https://login.microsoftonline.com/{tenant}/v2.0',
    deviceAuthorizationEndpoint: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/devicecode',
    tokenEndpoint: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
    userinfoEndpoint: 'https://graph.microsoft.com/oidc/userinfo',
    jwksUri: 'https://login.microsoftonline.com/{tenant}/discovery/v2.0/keys',
  },
  // https://developer.okta.com/docs/guides/device-authorization-grant/main
  // https://developer.okta.com/docs/reference/api/oidc
  // Without a server, the org authorization server: https://developer.okta.com/docs/api/openapi/okta-oauth/oauth/tag/OrgAS
  okta: {
    issuer: '{host}[/oauth2/{server}]',
    deviceAuthorizationEndpoint: '{host}/oauth2[/{server}]/v1/device/authorize',
    tokenEndpoint: '{host}/oauth2[/{server}]/v1/token',
    revocationEndpoint: '{host}/oauth2[/{server}]/v1/revoke',
    userinfoEndpoint: '{host}/oauth2[/{server}]/v1/userinfo',
    jwksUri: '{host}/oauth2[/{server}]/v1/keys',
  },
  // https://auth0.com/docs/get-started/authentication-and-authorization-flow/device-authorization-flow/call-your-api-using-the-device-authorization-flow
  // https://auth0.com/docs/secure/tokens/refresh-tokens/revoke-refresh-tokens
  // https://auth0.com/docs/secure/tokens/json-web-tokens/json-web-key-sets
  // https://auth0.com/docs/secure/tokens/id-tokens/id-token-structure
  // https://auth0.com/docs/api/authentication/user-profile/get-user-info
  auth0: {
    issuer: '{host}/',
    deviceAuthorizationEndpoint: '{host}/oauth/device/code',
    tokenEndpoint: '{host}/oauth/token',
    revocationEndpoint: '{host}/oauth/revoke',
    jwksUri: '{host}/.well-known/jwks.json',
    userinfoEndpoint: '{host}/userinfo',
  },
  // https://developers.google.com/identity/protocols/oauth2/limited-input-device
  // https://accounts.google.com/.well-known/openid-configuration
  google: {
    issuer: 'https://accounts.google.com',
    deviceAuthorizationEndpoint: 'https://oauth2.googleapis.com/device/code',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    revocationEndpoint: 'https://oauth2.googleapis.com/revoke',
    userinfoEndpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
    jwksUri: 'https://www.googleapis.com/oauth2/v3/certs',
  },
  // https://docs.gitlab.com/api/oauth2, section "Device authorization grant flow" (GitLab 17.1 and later)
  // https://docs.gitlab.com/integration/openid_connect_provider
  gitlab: {
    issuer: '{host}',
    baseUrl: '{host}/api/v4',
    deviceAuthorizationEndpoint: '{host}/oauth/authorize_device',
    tokenEndpoint: '{host}/oauth/token',
    revocationEndpoint: '{host}/oauth/revoke',
    jwksUri: '{host}/oauth/discovery/keys',
  },
} as const
