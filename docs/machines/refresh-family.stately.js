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
      tags: [
        "valid"
      ],
      meta: {
        text: "Logged in."
      },
      on: {
        refresh: [
          {
            guard: {
              type: "lifetimeOver"
            },
            target: "expired"
          },
          {
            guard: {
              type: "spendsNewest"
            },
            target: "issuing",
            actions: [
              {
                type: "beginIssuing"
              }
            ]
          },
          {
            guard: {
              type: "replays"
            },
            target: "active",
            description: "The request gets the same successor."
          },
          {
            guard: {
              type: "provesNoReuse"
            },
            target: "active",
            description: "A held request gets the same successor; any other is refused."
          },
          {
            target: "revoked",
            description: "The token was spent before: reuse."
          }
        ],
        revoke: {
          target: "revoked"
        }
      }
    },
    issuing: {
      description: "One request is issuing the next pair; others with the same token are held.",
      tags: [
        "valid"
      ],
      meta: {
        text: "Renewing the login."
      },
      on: {
        refresh: [
          {
            guard: {
              type: "lifetimeOver"
            },
            target: "expired"
          },
          {
            guard: {
              type: "spentElsewhere"
            },
            target: "issuing",
            description: "The request is held."
          },
          {
            guard: {
              type: "spendsNewest"
            },
            target: "issuing",
            actions: [
              {
                type: "beginIssuing"
              }
            ],
            description: "The lease has expired: this request takes it over."
          },
          {
            guard: {
              type: "replays"
            },
            target: "issuing",
            description: "The request gets the same successor."
          },
          {
            guard: {
              type: "provesNoReuse"
            },
            target: "issuing",
            description: "A held request gets the same successor; any other is refused."
          },
          {
            target: "revoked",
            description: "The token was spent before: reuse."
          }
        ],
        issued: {
          guard: {
            type: "leaseIsOurs"
          },
          target: "active",
          actions: [
            {
              type: "rotate"
            }
          ]
        },
        notIssued: {
          guard: {
            type: "leaseIsOurs"
          },
          target: "active",
          actions: [
            {
              type: "endLease"
            }
          ]
        },
        revoke: {
          target: "revoked"
        }
      }
    },
    revoked: {
      type: "final",
      description: "The family was ended: by a logout, by the host, or because a spent token came again.",
      tags: [
        "over"
      ],
      meta: {
        text: "Logged out."
      }
    },
    expired: {
      type: "final",
      description: "The lifetime of the family is over.",
      tags: [
        "over"
      ],
      meta: {
        text: "The login has expired."
      }
    }
  }
})
