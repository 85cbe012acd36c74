import { setup } from 'xstate'

// These implementations are stand-ins. They lead through active, issuing, active, revoked.
// To take other transitions, change what the guards return.
export const refreshFamily = setup({
  guards: {
    lifetimeOver: () => false,
    spendsNewest: () => true,
    spentElsewhere: () => false,
    replays: () => false,
    provesNoReuse: () => false,
    claimIsOurs: () => true,
  },
}).createMachine({
  id: "refreshFamily",
  description: "One chain of refresh tokens, on the side of the service.",
  initial: "active",
  states: {
    active: {
      description: "The newest refresh token can be spent.",
      tags: ["valid"],
      meta: { text: "Logged in." },
      on: {
        refresh: [
          { guard: { type: "lifetimeOver" }, target: "expired", description: "lifetime is over" },
          { guard: { type: "spendsNewest" }, target: "issuing", actions: [{ type: "beginIssuing" }], description: "newest token" },
          { guard: { type: "replays" }, target: "active", description: "previous token, inside the reuse window: same successor" },
          { guard: { type: "provesNoReuse" }, target: "active", description: "may be an honest retry" },
          { target: "revoked", description: "older token: reuse" },
        ],
        revoke: { target: "revoked" },
      },
    },
    issuing: {
      description: "One request is issuing the next pair; others with the same token are held.",
      tags: ["valid"],
      meta: { text: "Refreshing the login." },
      on: {
        refresh: [
          { guard: { type: "lifetimeOver" }, target: "expired", description: "lifetime is over" },
          { guard: { type: "spentElsewhere" }, target: "issuing", description: "newest token: held" },
          {
            guard: { type: "spendsNewest" },
            target: "issuing",
            actions: [{ type: "beginIssuing" }],
            description: "claim has expired: taken over",
          },
          { guard: { type: "replays" }, target: "issuing", description: "previous token, inside the reuse window: same successor" },
          { guard: { type: "provesNoReuse" }, target: "issuing", description: "may be an honest retry" },
          { target: "revoked", description: "older token: reuse" },
        ],
        issued: { guard: { type: "claimIsOurs" }, target: "active", actions: [{ type: "rotate" }], description: "claim still holds" },
        notIssued: { guard: { type: "claimIsOurs" }, target: "active", actions: [{ type: "endClaim" }], description: "claim still holds" },
        revoke: { target: "revoked" },
      },
    },
    revoked: {
      type: "final",
      description: "A logout, your server or a reused token ended the family.",
      tags: ["over"],
      meta: { text: "Logged out." },
    },
    expired: {
      type: "final",
      description: "The lifetime of the family is over.",
      tags: ["over"],
      meta: { text: "The login has expired." },
    },
  },
})
