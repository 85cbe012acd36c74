import { createMachine } from 'xstate'

export const deviceGrant = createMachine({
  id: "deviceGrant",
  description: "One device authorization as the service keeps it.",
  initial: "requested",
  states: {
    requested: {
      description: "The codes were issued; there was no poll yet.",
      tags: "undecided",
      meta: {
        text: "Waiting for the first poll."
      },
      on: {
        poll: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "tooEarly",
            target: "slowed",
            actions: "slowDown"
          },
          {
            guard: "notTooEarly",
            target: "pending",
            actions: "keepTime"
          }
        ],
        approve: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "inTime",
            target: "approved",
            actions: "keepUser"
          }
        ],
        deny: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "inTime",
            target: "denied"
          }
        ]
      }
    },
    pending: {
      description: "The device polls; the user has not decided.",
      tags: "undecided",
      meta: {
        text: "Waiting for the user."
      },
      on: {
        poll: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "tooEarly",
            target: "slowed",
            actions: "slowDown"
          },
          {
            guard: "notTooEarly",
            target: "pending",
            actions: "keepTime"
          }
        ],
        approve: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "inTime",
            target: "approved",
            actions: "keepUser"
          }
        ],
        deny: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "inTime",
            target: "denied"
          }
        ]
      }
    },
    slowed: {
      description: "The last poll came too early; the interval has grown.",
      tags: "undecided",
      meta: {
        text: "Waiting for the user; the device was asked for longer pauses."
      },
      on: {
        poll: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "tooEarly",
            target: "slowed",
            actions: "slowDown"
          },
          {
            guard: "notTooEarly",
            target: "pending",
            actions: "keepTime"
          }
        ],
        approve: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "inTime",
            target: "approved",
            actions: "keepUser"
          }
        ],
        deny: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "inTime",
            target: "denied"
          }
        ]
      }
    },
    approved: {
      description: "The user approved; the next poll fetches the token.",
      tags: "decided",
      meta: {
        text: "Approved."
      },
      on: {
        poll: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "inTime",
            target: "issuing",
            actions: "takeLease"
          }
        ]
      }
    },
    issuing: {
      description: "One poll has the token issued; others hear that the authorization is pending.",
      tags: "decided",
      meta: {
        text: "Issuing the token."
      },
      on: {
        poll: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "leaseHolds",
            target: "issuing",
            description: "Another poll is issuing."
          },
          {
            guard: "leaseLapsed",
            target: "issuing",
            actions: "takeLease",
            description: "Claimed anew."
          }
        ],
        issued: {
          guard: "leaseIsOurs",
          target: "authorized",
          actions: "endLease"
        },
        notIssued: {
          guard: "leaseIsOurs",
          target: "approved",
          actions: "endLease"
        }
      }
    },
    denied: {
      description: "The user denied.",
      tags: "decided",
      meta: {
        text: "Denied."
      },
      on: {
        poll: [
          {
            guard: "overdue",
            target: "expired"
          },
          {
            guard: "inTime",
            target: "denied"
          }
        ]
      }
    },
    authorized: {
      type: "final",
      description: "A poll has brought the token, and no other one will.",
      tags: "settled",
      meta: {
        text: "Authorized."
      }
    },
    expired: {
      type: "final",
      description: "The lifetime of the codes is over.",
      tags: "settled",
      meta: {
        text: "Expired."
      }
    }
  }
})
