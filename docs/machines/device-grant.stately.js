import { setup } from 'xstate'

// These implementations are stand-ins. They lead through requested, pending, approved, issuing, authorized.
// To take other transitions, change what the guards return.
export const deviceGrant = setup({
  guards: {
    overdue: () => false,
    tooEarly: () => false,
    leaseHolds: () => false,
    leaseIsOurs: () => true,
  },
  actions: {
    raiseInterval: () => {},
    keepTime: () => {},
    keepUser: () => {},
    takeLease: () => {},
    endLease: () => {},
  },
}).createMachine({
  id: "deviceGrant",
  description: "One device authorization, on the side of the service.",
  initial: "undecided",
  states: {
    undecided: {
      description: "The user may approve or deny; polls are told to wait.",
      tags: [
        "undecided"
      ],
      meta: {
        text: "Waiting for the user."
      },
      initial: "requested",
      on: {
        poll: [
          {
            guard: {
              type: "overdue"
            },
            target: "expired"
          },
          {
            guard: {
              type: "tooEarly"
            },
            target: ".slowed",
            actions: [
              {
                type: "raiseInterval"
              }
            ]
          },
          {
            target: ".pending",
            actions: [
              {
                type: "keepTime"
              }
            ]
          }
        ],
        approve: [
          {
            guard: {
              type: "overdue"
            },
            target: "expired"
          },
          {
            target: "approved",
            actions: [
              {
                type: "keepUser"
              }
            ]
          }
        ],
        deny: [
          {
            guard: {
              type: "overdue"
            },
            target: "expired"
          },
          {
            target: "denied"
          }
        ]
      },
      states: {
        requested: {
          description: "The codes were issued; the device has not polled yet.",
          meta: {
            text: "Waiting for the first poll."
          }
        },
        pending: {
          description: "The device polls; the user has not decided.",
          meta: {
            text: "Waiting for the user."
          }
        },
        slowed: {
          description: "The last poll came too early; the interval has grown.",
          meta: {
            text: "Waiting for the user; the device was asked to slow down."
          }
        }
      }
    },
    approved: {
      description: "The user approved; the next poll gets the token.",
      tags: [
        "decided"
      ],
      meta: {
        text: "Approved."
      },
      on: {
        poll: [
          {
            guard: {
              type: "overdue"
            },
            target: "expired"
          },
          {
            target: "issuing",
            actions: [
              {
                type: "takeLease"
              }
            ]
          }
        ]
      }
    },
    issuing: {
      description: "One poll is issuing the token; others get authorization_pending.",
      tags: [
        "decided"
      ],
      meta: {
        text: "Issuing the token."
      },
      on: {
        poll: [
          {
            guard: {
              type: "overdue"
            },
            target: "expired"
          },
          {
            guard: {
              type: "leaseHolds"
            },
            target: "issuing",
            description: "Another poll is issuing the token."
          },
          {
            target: "issuing",
            actions: [
              {
                type: "takeLease"
              }
            ],
            description: "The lease has expired: this poll takes it over."
          }
        ],
        issued: {
          guard: {
            type: "leaseIsOurs"
          },
          target: "authorized",
          actions: [
            {
              type: "endLease"
            }
          ]
        },
        notIssued: {
          guard: {
            type: "leaseIsOurs"
          },
          target: "approved",
          actions: [
            {
              type: "endLease"
            }
          ]
        }
      }
    },
    denied: {
      description: "The user denied.",
      tags: [
        "decided"
      ],
      meta: {
        text: "Denied."
      },
      on: {
        poll: [
          {
            guard: {
              type: "overdue"
            },
            target: "expired"
          },
          {
            target: "denied"
          }
        ]
      }
    },
    authorized: {
      type: "final",
      description: "A poll has delivered the token; no other poll will.",
      tags: [
        "settled"
      ],
      meta: {
        text: "Authorized."
      }
    },
    expired: {
      type: "final",
      description: "The codes have expired.",
      tags: [
        "settled"
      ],
      meta: {
        text: "Expired."
      }
    }
  }
})
