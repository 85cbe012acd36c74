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
    leaseIsOurs: () => true,
  },
  actions: {
    beginIssuing: () => {},
    rotate: () => {},
    endLease: () => {},
  },
}).createMachine({
  id: "refreshFamily",
  description: "One chain of refresh tokens, on the side of the service.",
  initial: "active",
  states: {
    active: {
      description: "The newest refresh token can be spent.",
      tags: "valid",
      meta: {
        text: "Logged in."
      },
      on: {
        refresh: [
          {
            guard: "lifetimeOver",
            target: "expired"
          },
          {
            guard: "spendsNewest",
            target: "issuing",
            actions: "beginIssuing"
          },
          {
            guard: "replays",
            target: "active",
            description: "The request gets the same successor."
          },
          {
            guard: "provesNoReuse",
            target: "active",
            description: "A held request gets the same successor; any other is refused."
          },
          {
            target: "revoked",
            description: "The token was spent before: reuse."
          }
        ],
        revoke: "revoked"
      }
    },
    issuing: {
      description: "One request is issuing the next pair; others with the same token are held.",
      tags: "valid",
      meta: {
        text: "Renewing the login."
      },
      on: {
        refresh: [
          {
            guard: "lifetimeOver",
            target: "expired"
          },
          {
            guard: "spentElsewhere",
            target: "issuing",
            description: "The request is held."
          },
          {
            guard: "spendsNewest",
            target: "issuing",
            actions: "beginIssuing",
            description: "The lease has expired: this request takes it over."
          },
          {
            guard: "replays",
            target: "issuing",
            description: "The request gets the same successor."
          },
          {
            guard: "provesNoReuse",
            target: "issuing",
            description: "A held request gets the same successor; any other is refused."
          },
          {
            target: "revoked",
            description: "The token was spent before: reuse."
          }
        ],
        issued: {
          guard: "leaseIsOurs",
          target: "active",
          actions: "rotate"
        },
        notIssued: {
          guard: "leaseIsOurs",
          target: "active",
          actions: "endLease"
        },
        revoke: "revoked"
      }
    },
    revoked: {
      type: "final",
      description: "The family was ended: by a logout, by the host, or because a spent token came again.",
      tags: "over",
      meta: {
        text: "Logged out."
      }
    },
    expired: {
      type: "final",
      description: "The lifetime of the family is over.",
      tags: "over",
      meta: {
        text: "The login has expired."
      }
    }
  }
})
