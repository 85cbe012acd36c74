import { setup } from 'xstate'

// These implementations are stand-ins. They lead through requested, pending, approved, issuing, authorized.
// To take other transitions, change what the guards return.
export const deviceGrant = setup({
  guards: {
    overdue: () => false,
    tooEarly: () => false,
    claimHolds: () => false,
    claimIsOurs: () => true,
    deliverable: () => false,
    wasDeliverable: () => false,
  },
}).createMachine({
  id: "deviceGrant",
  description: "One device authorization, on the side of the service.",
  initial: "undecided",
  states: {
    undecided: {
      description: "The user may approve or deny; polls get authorization_pending or slow_down.",
      tags: ["undecided"],
      meta: { text: "Waiting for the user." },
      initial: "requested",
      on: {
        poll: [
          { guard: { type: "overdue" }, target: "expired", description: "after expiry: expired_token" },
          {
            guard: { type: "tooEarly" },
            target: ".slowed",
            actions: [{ type: "raiseInterval" }],
            description: "too early: slow_down",
          },
          { target: ".pending", actions: [{ type: "keepTime" }], description: "before expiry: authorization_pending" },
        ],
        approve: [
          { guard: { type: "overdue" }, target: "expired", description: "after expiry: expired_token" },
          { target: "approved", actions: [{ type: "keepUser" }], description: "before expiry" },
        ],
        deny: [
          { guard: { type: "overdue" }, target: "expired", description: "after expiry: expired_token" },
          { target: "denied", description: "before expiry" },
        ],
      },
      states: {
        requested: { description: "The device has not polled yet.", meta: { text: "Waiting for the first poll." } },
        pending: { description: "The user has not decided.", meta: { text: "Waiting for the user." } },
        slowed: { description: "The interval has grown.", meta: { text: "Waiting for the user; the device was asked to slow down." } },
      },
    },
    approved: {
      description: "The user approved; the next poll gets the token.",
      tags: ["decided"],
      meta: { text: "Approved." },
      on: {
        poll: [
          { guard: { type: "overdue" }, target: "expired", description: "after expiry: expired_token" },
          { target: "issuing", actions: [{ type: "takeClaim" }], description: "before expiry" },
        ],
      },
    },
    issuing: {
      description: "One poll is issuing the token.",
      tags: ["decided"],
      meta: { text: "Issuing the token." },
      on: {
        poll: [
          { guard: { type: "overdue" }, target: "expired", description: "after expiry: expired_token" },
          { guard: { type: "claimHolds" }, target: "issuing", description: "claim is held: authorization_pending" },
          { target: "issuing", actions: [{ type: "takeClaim" }], description: "claim has expired: taken over" },
        ],
        issued: {
          guard: { type: "claimIsOurs" },
          target: "authorized",
          actions: [{ type: "endClaim" }, { type: "keepDelivery" }],
          description: "claim still holds: access_token",
        },
        notIssued: { guard: { type: "claimIsOurs" }, target: "approved", actions: [{ type: "endClaim" }], description: "claim still holds" },
      },
    },
    denied: {
      description: "The user denied the request.",
      tags: ["decided"],
      meta: { text: "Denied." },
      on: {
        poll: [
          { guard: { type: "overdue" }, target: "expired", description: "after expiry: expired_token" },
          { target: "denied", description: "before expiry: access_denied" },
        ],
      },
    },
    authorized: {
      description: "The token was issued; for a while, a poll gets the same one again.",
      tags: ["settled"],
      meta: { text: "Authorized." },
      on: {
        poll: [
          { guard: { type: "deliverable" }, target: "authorized", description: "in the delivery window: the same access_token" },
          {
            guard: { type: "wasDeliverable" },
            target: "authorized",
            actions: [{ type: "dropDelivery" }],
            description: "later: incorrect_device_code",
          },
        ],
      },
    },
    expired: {
      type: "final",
      description: "The codes have expired.",
      tags: ["settled"],
      meta: { text: "Expired." },
    },
  },
})
