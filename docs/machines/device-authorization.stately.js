import { fromPromise, setup } from 'xstate'

// These implementations are stand-ins. They lead through starting, requesting, requested, polling, authorized.
// To take other transitions, change what the guards return.
export const deviceAuthorization = setup({
  actors: {
    requestCodes: fromPromise(async () => {}),
    pollToken: fromPromise(async () => {}),
  },
  guards: {
    anew: () => true,
    resumesRequested: () => false,
    resumesPending: () => false,
    overdue: () => false,
    pollDue: () => true,
    token: () => true,
    pending: () => false,
    slowDown: () => false,
    denied: () => false,
    expired: () => false,
    fault: () => false,
    refused: () => false,
    forgivable: () => false,
  },
  actions: {
    look: () => {},
    countWait: () => {},
    countPoll: () => {},
    keepCodes: () => {},
    schedule: () => {},
    raiseInterval: () => {},
    backOff: () => {},
    backOffAfterTimeout: () => {},
    forgive: () => {},
    keepToken: () => {},
    keepRefusal: () => {},
    keepError: () => {},
    keepTimeout: () => {},
  },
  delays: {
    requestTimeout: 30000,
    pollTimeout: 5000,
    untilDue: 5000,
  },
}).createMachine({
  id: "deviceAuthorization",
  description: "One device authorization, from the request for codes to the token.",
  initial: "starting",
  on: {
    cancel: {
      target: ".cancelled",
      description: "The caller cancels."
    }
  },
  states: {
    starting: {
      description: "Resumes from a record, or requests codes.",
      tags: [
        "requesting"
      ],
      meta: {
        text: "Starting."
      },
      always: [
        {
          guard: {
            type: "anew"
          },
          target: "requesting"
        },
        {
          guard: {
            type: "resumesRequested"
          },
          target: "waiting.requested"
        },
        {
          guard: {
            type: "resumesPending"
          },
          target: "waiting.pending"
        },
        {
          target: "waiting.slowed"
        }
      ]
    },
    requesting: {
      description: "The request for codes is running.",
      tags: [
        "requesting"
      ],
      meta: {
        text: "Requesting a code."
      },
      invoke: {
        id: "requestCodes",
        src: "requestCodes",
        onDone: {
          target: "waiting",
          actions: [
            {
              type: "keepCodes"
            }
          ]
        },
        onError: {
          target: "failed",
          actions: [
            {
              type: "keepError"
            }
          ]
        }
      },
      after: {
        requestTimeout: {
          target: "failed",
          actions: [
            {
              type: "keepTimeout"
            }
          ]
        }
      }
    },
    waiting: {
      description: "The user has the code. No poll is running, and none is due.",
      tags: [
        "waiting"
      ],
      meta: {
        text: "Waiting for the user."
      },
      initial: "requested",
      entry: [
        {
          type: "look"
        }
      ],
      always: {
        guard: {
          type: "overdue"
        },
        target: "expired"
      },
      on: {
        wake: [
          {
            guard: {
              type: "overdue"
            },
            target: "expired"
          },
          {
            guard: {
              type: "pollDue"
            },
            target: "polling"
          }
        ]
      },
      after: {
        untilDue: [
          {
            guard: {
              type: "pollDue"
            },
            target: "polling",
            actions: [
              {
                type: "countWait"
              }
            ]
          },
          {
            target: ".same",
            reenter: true,
            actions: [
              {
                type: "countWait"
              }
            ],
            description: "The codes expire before the next poll, or the timer fired early."
          }
        ]
      },
      states: {
        requested: {
          description: "The codes have arrived; the device has not polled yet.",
          meta: {
            text: "Enter the code at the address shown."
          }
        },
        pending: {
          description: "The last poll returned authorization_pending: the user has not decided.",
          meta: {
            text: "Waiting for the code to be entered."
          }
        },
        slowed: {
          description: "The last poll returned slow_down; the interval has grown.",
          meta: {
            text: "Waiting for the code to be entered; the service asked to slow down."
          }
        },
        retrying: {
          description: "The last poll got no usable response; the next one waits longer.",
          tags: [
            "retrying"
          ],
          meta: {
            text: "No usable response yet; trying again."
          }
        },
        same: {
          type: "history",
          target: "requested",
          description: "The wait continues where it was."
        }
      }
    },
    polling: {
      description: "A poll is running.",
      tags: [
        "polling"
      ],
      meta: {
        text: "Checking whether the code was entered."
      },
      entry: [
        {
          type: "look"
        },
        {
          type: "countPoll"
        }
      ],
      invoke: {
        id: "pollToken",
        src: "pollToken",
        onDone: [
          {
            guard: {
              type: "pending"
            },
            target: "waiting.pending",
            actions: [
              {
                type: "schedule"
              }
            ]
          },
          {
            guard: {
              type: "slowDown"
            },
            target: "waiting.slowed",
            actions: [
              {
                type: "raiseInterval"
              }
            ]
          },
          {
            guard: {
              type: "fault"
            },
            target: "waiting.retrying",
            actions: [
              {
                type: "backOff"
              }
            ]
          },
          {
            guard: {
              type: "token"
            },
            target: "authorized",
            actions: [
              {
                type: "keepToken"
              }
            ]
          },
          {
            guard: {
              type: "denied"
            },
            target: "denied"
          },
          {
            guard: {
              type: "expired"
            },
            target: "expired"
          },
          {
            guard: {
              type: "forgivable"
            },
            target: "waiting.retrying",
            actions: [
              {
                type: "forgive"
              }
            ]
          },
          {
            guard: {
              type: "refused"
            },
            target: "failed",
            actions: [
              {
                type: "keepRefusal"
              }
            ]
          }
        ],
        onError: {
          target: "failed",
          actions: [
            {
              type: "keepError"
            }
          ]
        }
      },
      after: {
        pollTimeout: {
          target: "waiting.retrying",
          actions: [
            {
              type: "backOffAfterTimeout"
            },
            {
              type: "keepTimeout"
            }
          ]
        }
      }
    },
    authorized: {
      type: "final",
      description: "The user authorized the device; the token has arrived.",
      tags: [
        "settled"
      ],
      meta: {
        text: "Authorized."
      }
    },
    expired: {
      type: "final",
      description: "The codes expired before the user decided.",
      tags: [
        "settled"
      ],
      meta: {
        text: "The code has expired. Start again to get a new one."
      }
    },
    denied: {
      type: "final",
      description: "The user denied the device.",
      tags: [
        "settled"
      ],
      meta: {
        text: "The request was denied."
      }
    },
    failed: {
      type: "final",
      description: "An error ended the flow that another poll cannot fix.",
      tags: [
        "settled"
      ],
      meta: {
        text: "Something went wrong."
      }
    },
    cancelled: {
      type: "final",
      description: "The caller cancelled.",
      tags: [
        "settled"
      ],
      meta: {
        text: "Cancelled."
      }
    }
  }
})
