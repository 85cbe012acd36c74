import { createMachine } from 'xstate'

export const deviceAuthorization = createMachine({
  id: "deviceAuthorization",
  description: "One device authorization, from the request for codes to the token.",
  initial: "starting",
  on: {
    cancel: {
      target: ".cancelled",
      description: "The caller gives up."
    }
  },
  states: {
    starting: {
      description: "Goes on where a resume record says, or asks for codes.",
      tags: "requesting",
      meta: {
        text: "Starting."
      },
      always: [
        {
          guard: "resumesRequested",
          target: "waiting.requested"
        },
        {
          guard: "resumesPending",
          target: "waiting.pending"
        },
        {
          guard: "resumesSlowed",
          target: "waiting.slowed"
        },
        {
          target: "requesting"
        }
      ]
    },
    requesting: {
      description: "The request for codes is on its way.",
      tags: "requesting",
      meta: {
        text: "Asking for a code."
      },
      invoke: {
        id: "requestCodes",
        src: "requestCodes",
        onDone: {
          target: "waiting",
          actions: "keepCodes"
        },
        onError: {
          target: "failed",
          actions: "keepError"
        }
      },
      after: {
        requestTimeout: {
          target: "failed",
          actions: "keepTimeout"
        }
      }
    },
    waiting: {
      description: "The user has the code. No poll is on its way, and none is due.",
      tags: "waiting",
      meta: {
        text: "Waiting for the user."
      },
      initial: "requested",
      on: {
        wake: {
          target: ".same",
          reenter: true,
          description: "The device slept: look at the clock again."
        }
      },
      after: {
        untilDue: [
          {
            guard: "overdue",
            target: "expired",
            description: "The lifetime of the codes is over."
          },
          {
            guard: "pollDue",
            target: "polling",
            description: "The interval has passed."
          },
          {
            target: ".same",
            reenter: true,
            description: "The timer was early, or the clock was set back."
          }
        ]
      },
      states: {
        requested: {
          description: "The codes have come; there was no poll yet.",
          tags: "waiting",
          meta: {
            text: "Enter the code at the address shown."
          }
        },
        pending: {
          description: "The last poll said that the user has not decided.",
          tags: "waiting",
          meta: {
            text: "Waiting for the code to be entered."
          }
        },
        slowed: {
          description: "The last poll was too early for the service; the interval has grown.",
          tags: "waiting",
          meta: {
            text: "Waiting for the code to be entered; the service asked for longer pauses."
          }
        },
        retrying: {
          description: "The last poll brought no answer; the next one waits longer.",
          tags: "retrying",
          meta: {
            text: "The service cannot be reached; trying again."
          }
        },
        same: {
          type: "history",
          description: "Where the wait was."
        }
      }
    },
    polling: {
      description: "One poll is on its way.",
      tags: "polling",
      meta: {
        text: "Asking whether the code was entered."
      },
      entry: "countPoll",
      invoke: {
        id: "pollToken",
        src: "pollToken",
        onDone: [
          {
            guard: "pending",
            target: "waiting.pending",
            actions: "schedule"
          },
          {
            guard: "slowDown",
            target: "waiting.slowed",
            actions: "slowDown"
          },
          {
            guard: "fault",
            target: "waiting.retrying",
            actions: "backOff"
          },
          {
            guard: "token",
            target: "authorized",
            actions: "keepToken"
          },
          {
            guard: "denied",
            target: "denied"
          },
          {
            guard: "expired",
            target: "expired"
          },
          {
            guard: "forgivable",
            target: "waiting.retrying",
            actions: "forgive"
          },
          {
            guard: "refused",
            target: "failed",
            actions: "keepRefusal"
          }
        ],
        onError: {
          target: "failed",
          actions: "keepError"
        }
      },
      after: {
        requestTimeout: {
          target: "waiting.retrying",
          actions: [
            "backOffAfterTimeout",
            "keepTimeout"
          ]
        }
      }
    },
    authorized: {
      type: "final",
      description: "The user authorized the device; the token has come.",
      tags: "settled",
      meta: {
        text: "Authorized."
      }
    },
    expired: {
      type: "final",
      description: "The codes ran out before the user decided.",
      tags: "settled",
      meta: {
        text: "The code has expired. Start again to get a new one."
      }
    },
    denied: {
      type: "final",
      description: "The user denied the device.",
      tags: "settled",
      meta: {
        text: "The request was denied."
      }
    },
    failed: {
      type: "final",
      description: "Something ended the flow that no further poll can mend.",
      tags: "settled",
      meta: {
        text: "Something went wrong."
      }
    },
    cancelled: {
      type: "final",
      description: "The caller gave up.",
      tags: "settled",
      meta: {
        text: "Cancelled."
      }
    }
  }
})
