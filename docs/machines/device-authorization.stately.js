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
    backingOff: () => false,
    waitOver: () => true,
    token: () => true,
    pending: () => false,
    slowDown: () => false,
    denied: () => false,
    expired: () => false,
    fault: () => false,
    refused: () => false,
    forgivable: () => false,
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
  on: { cancel: { target: ".cancelled" } },
  states: {
    starting: {
      description: "Resumes from a record, or requests codes.",
      tags: ["requesting"],
      meta: { text: "Starting." },
      always: [
        { guard: { type: "anew" }, target: "requesting", description: "no record" },
        {
          guard: { type: "resumesRequested" },
          target: "waiting.requested",
          actions: [{ type: "look" }],
          description: "resume record",
        },
        { guard: { type: "resumesPending" }, target: "waiting.pending", actions: [{ type: "look" }], description: "resume record" },
        { target: "waiting.slowed", actions: [{ type: "look" }], description: "resume record" },
      ],
    },
    requesting: {
      description: "The request for codes is running.",
      tags: ["requesting"],
      meta: { text: "Requesting a code." },
      invoke: {
        id: "requestCodes",
        src: "requestCodes",
        onDone: { target: "waiting", actions: [{ type: "keepCodes" }], description: "codes arrive" },
        onError: { target: "failed", actions: [{ type: "keepError" }], description: "request fails" },
      },
      after: { requestTimeout: { target: "failed", actions: [{ type: "keepTimeout" }], description: "no response in 30 s" } },
    },
    waiting: {
      description: "The user has the code. The next poll is scheduled.",
      tags: ["waiting"],
      meta: { text: "Waiting for the user." },
      initial: "requested",
      always: { guard: { type: "overdue" }, target: "expired", description: "codes have expired" },
      on: {
        wake: [
          { guard: { type: "overdue" }, target: "expired", description: "codes have expired" },
          { guard: { type: "pollDue" }, target: "polling", actions: [{ type: "countPoll" }], description: "poll is due" },
          { guard: { type: "backingOff" }, actions: [{ type: "endBackoff" }], description: "faults lengthen the wait" },
        ],
      },
      after: {
        untilDue: [
          { guard: { type: "waitOver" }, target: "polling", actions: [{ type: "countWaitAndPoll" }], description: "poll is due" },
          { target: ".same", reenter: true, actions: [{ type: "countWait" }], description: "poll is not due yet" },
        ],
      },
      states: {
        requested: { description: "The device has not polled yet.", meta: { text: "Enter the code at the address shown." } },
        pending: { description: "The user has not decided.", meta: { text: "Waiting for the code to be entered." } },
        slowed: {
          description: "The interval has grown.",
          meta: { text: "Waiting for the code to be entered; the service asked to slow down." },
        },
        retrying: {
          description: "The last poll failed.",
          tags: ["retrying"],
          meta: { text: "No usable response yet; trying again." },
        },
        same: { type: "history", target: "requested", description: "The wait continues where it was." },
      },
    },
    polling: {
      description: "A poll is running.",
      tags: ["polling"],
      meta: { text: "Checking whether the code was entered." },
      invoke: {
        id: "pollToken",
        src: "pollToken",
        onDone: [
          {
            guard: { type: "pending" },
            target: "waiting.pending",
            actions: [{ type: "schedule" }],
            description: "response: authorization_pending",
          },
          {
            guard: { type: "slowDown" },
            target: "waiting.slowed",
            actions: [{ type: "raiseInterval" }],
            description: "response: slow_down",
          },
          { guard: { type: "fault" }, target: "waiting.retrying", actions: [{ type: "backOff" }], description: "no usable response" },
          { guard: { type: "token" }, target: "authorized", actions: [{ type: "keepToken" }], description: "response: access_token" },
          { guard: { type: "denied" }, target: "denied", description: "response: access_denied" },
          { guard: { type: "expired" }, target: "expired", description: "response: expired_token" },
          {
            guard: { type: "forgivable" },
            target: "waiting.retrying",
            actions: [{ type: "forgive" }],
            description: "response: incorrect_device_code",
          },
          { guard: { type: "refused" }, target: "failed", actions: [{ type: "keepRefusal" }], description: "any other error" },
        ],
        onError: { target: "failed", actions: [{ type: "keepError" }], description: "poll throws" },
      },
      after: {
        pollTimeout: {
          target: "waiting.retrying",
          actions: [{ type: "backOffAfterTimeout" }, { type: "keepTimeout" }],
          description: "no response in time",
        },
      },
    },
    authorized: {
      type: "final",
      description: "The token has arrived.",
      tags: ["settled"],
      meta: { text: "Authorized." },
    },
    expired: {
      type: "final",
      description: "The codes have expired.",
      tags: ["settled"],
      meta: { text: "The code has expired. Start again to get a new one." },
    },
    denied: {
      type: "final",
      description: "The user denied the request.",
      tags: ["settled"],
      meta: { text: "The request was denied." },
    },
    failed: {
      type: "final",
      description: "Polling again would not help.",
      tags: ["settled"],
      meta: { text: "Something went wrong." },
    },
    cancelled: {
      type: "final",
      description: "The caller cancelled.",
      tags: ["settled"],
      meta: { text: "Cancelled." },
    },
  },
})
