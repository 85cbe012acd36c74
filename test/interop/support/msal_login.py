"""Logs in with MSAL Python, gets a token silently three times, and verifies the last one with PyJWT alone."""

import json
import sys

import jwt
import msal

authority, issuer, client_id = sys.argv[1:]
app = msal.PublicClientApplication(client_id, authority=authority, validate_authority=False)
flow = app.initiate_device_flow(scopes=["read"])
print(json.dumps({"userCode": flow["user_code"]}), flush=True)
login = app.acquire_token_by_device_flow(flow)
accounts = app.get_accounts()
silent = [app.acquire_token_silent(["read"], account=accounts[0])["access_token"] for _ in range(3)]

token = silent[-1]
key = jwt.PyJWKClient(f"{issuer}/.well-known/jwks.json").get_signing_key_from_jwt(token).key
expected = {"algorithms": ["ES256"], "issuer": issuer, "audience": issuer}
claims = jwt.decode(token, key, **expected)
refusals = []
for wrong, changed in [(token[:-8] + "AAAAAAAA", {}), (token, {"audience": "https://other.example"})]:
    try:
        jwt.decode(wrong, key, **{**expected, **changed})
    except jwt.InvalidTokenError as error:
        refusals.append(type(error).__name__)

result = {
    "usernames": [account["username"] for account in accounts],
    "tokens": len({login["access_token"], *silent}),
    "sub": claims["sub"],
    "scope": claims["scope"],
    "refusals": refusals,
}
print(json.dumps(result))
