import { fromPromise, setup } from 'xstate'

// These implementations are stand-ins. They lead through restoring, signedIn, claiming, refreshing, settling, signedIn.
// To take other transitions, change what the guards return.
export const session = setup({
  actors: {
    authorize: fromPromise(async () => {}),
    read: fromPromise(async () => {}),
    claim: fromPromise(async () => {}),
    refresh: fromPromise(async () => {}),
    settle: fromPromise(async () => {}),
    erase: fromPromise(async () => {}),
    revoke: fromPromise(async () => {}),
  },
  guards: {
    found: () => true,
    endedBefore: () => false,
    authorized: () => false,
    resting: () => false,
    notRejected: () => false,
    claimed: () => true,
    newer: () => true,
    taken: () => false,
    nothingToSpend: () => false,
    mayWait: () => false,
    late: () => false,
    unclearOnce: () => false,
    leaving: () => false,
    writtenEnd: () => false,
    written: () => true,
    pairInHand: () => false,
    unfinished: () => false,
    toRevoke: () => false,
  },
  delays: {
    claimPause: 5000,
    untilRetry: 5000,
  },
}).createMachine({
  id: "session",
  description: "The life of a login, from the device authorization to the logout.",
  initial: "restoring",
  states: {
    restoring: {
      description: "The stored login is being read.",
      tags: ["busy"],
      meta: { text: "Looking for a stored login." },
      invoke: {
        id: "read",
        src: "read",
        onDone: [
          { guard: { type: "found" }, target: "signedIn", actions: [{ type: "keepFound" }], description: "a login" },
          { guard: { type: "endedBefore" }, target: "ended", description: "a login that has ended" },
          { target: "signedOut", description: "no login" },
        ],
        onError: { target: "unavailable", actions: [{ type: "keepError" }], description: "store fails" },
      },
      on: { logout: { target: "erasing" } },
    },
    unavailable: {
      description: "The store cannot be read or written. Whether there is a login is unknown.",
      tags: ["settled"],
      meta: { text: "The stored login cannot be read." },
      on: {
        need: { target: "restoring" },
        login: { target: "authorizing" },
        keep: { target: "settling", actions: [{ type: "keepGivenToken" }] },
        logout: { target: "erasing" },
      },
    },
    signedOut: {
      description: "There is no login.",
      tags: ["settled"],
      meta: { text: "Not logged in." },
      entry: [{ type: "forget" }],
      on: {
        need: { target: "restoring" },
        login: { target: "authorizing" },
        keep: { target: "settling", actions: [{ type: "keepGivenToken" }] },
        logout: { target: "erasing" },
      },
    },
    ended: {
      description: "The provider has ended the login, or its token has expired and cannot be refreshed.",
      tags: ["settled"],
      meta: { text: "The login has ended. Log in again." },
      entry: [{ type: "forget" }],
      on: {
        need: { target: "restoring" },
        login: { target: "authorizing" },
        keep: { target: "settling", actions: [{ type: "keepGivenToken" }] },
        logout: { target: "erasing" },
      },
    },
    authorizing: {
      description: "A device authorization is running.",
      tags: ["busy"],
      meta: { text: "Logging in." },
      entry: [{ type: "forgetOutcome" }],
      exit: [{ type: "forgetAuthorization" }],
      invoke: {
        id: "authorize",
        src: "authorize",
        onSnapshot: { actions: [{ type: "keepAuthorization" }], description: "its progress" },
        onDone: [
          { guard: { type: "authorized" }, target: "settling", actions: [{ type: "keepDeviceToken" }], description: "authorized" },
          { target: "restoring", actions: [{ type: "keepOutcome" }], description: "no token" },
        ],
        onError: { target: "restoring", actions: [{ type: "keepError" }], description: "login throws" },
      },
      on: {
        cancel: { target: "restoring", actions: [{ type: "cancelOutcome" }] },
        logout: { target: "erasing", actions: [{ type: "cancelOutcome" }] },
      },
    },
    signedIn: {
      description: "There is a token. Its expiry is checked when it is needed: no timer runs.",
      tags: ["settled"],
      meta: { text: "Logged in." },
      on: {
        need: [
          { guard: { type: "resting" }, description: "soon after a fault" },
          { target: "claiming", actions: [{ type: "beginRefresh" }], description: "token is due" },
        ],
        rejected: [
          { guard: { type: "notRejected" }, description: "another token, or just refreshed" },
          { target: "claiming", actions: [{ type: "beginRefresh" }, { type: "reject" }], description: "this token" },
        ],
        login: { target: "authorizing" },
        keep: { target: "settling", actions: [{ type: "keepGivenToken" }] },
        logout: { target: "erasing" },
      },
    },
    claiming: {
      description: "This process asks the store for the right to use the refresh token.",
      tags: ["busy"],
      meta: { text: "Refreshing the login." },
      entry: [{ type: "countTry" }],
      invoke: {
        id: "claim",
        src: "claim",
        onDone: [
          { guard: { type: "claimed" }, target: "refreshing", actions: [{ type: "forgetBusy" }], description: "claim is ours" },
          { guard: { type: "newer" }, target: "signedIn", actions: [{ type: "adopt" }], description: "already refreshed" },
          { guard: { type: "taken" }, target: "waiting", actions: [{ type: "keepBusy" }], description: "claim is taken" },
          { guard: { type: "nothingToSpend" }, target: "ended", description: "no refresh token" },
          { target: "signedOut", description: "login is gone" },
        ],
        onError: { target: "settling", actions: [{ type: "restAfterStoreFault" }], description: "store fails" },
      },
      on: { logout: { target: "erasing" } },
    },
    waiting: {
      description: "Another process holds the claim.",
      tags: ["busy"],
      meta: { text: "Another process is refreshing the login." },
      after: {
        claimPause: [
          { guard: { type: "mayWait" }, target: "claiming", description: "after 0.5 s" },
          { target: "signedIn", description: "waited too long" },
        ],
      },
      on: { logout: { target: "erasing" } },
    },
    refreshing: {
      description: "The refresh token is being used, under the claim.",
      tags: ["busy"],
      meta: { text: "Refreshing the login." },
      invoke: {
        id: "refresh",
        src: "refresh",
        onDone: [
          { guard: { type: "late" }, target: "claiming", description: "too late to send" },
          {
            guard: { type: "unclearOnce" },
            target: "refreshing",
            reenter: true,
            actions: [{ type: "repeat" }],
            description: "unclear: repeated at once",
          },
          { target: "settling", actions: [{ type: "keepResult" }], description: "token, end or fault" },
        ],
        onError: { target: "settling", actions: [{ type: "keepDefect" }], description: "refresh throws" },
      },
      on: { logout: { actions: [{ type: "leave" }], description: "noted for later" } },
    },
    settling: {
      description: "The result is being written, and the claim released.",
      tags: ["busy"],
      meta: { text: "Storing the login." },
      invoke: {
        id: "settle",
        src: "settle",
        onDone: [
          { guard: { type: "leaving" }, target: "erasing", actions: [{ type: "keepSettled" }], description: "logout was noted" },
          { guard: { type: "newer" }, target: "signedIn", actions: [{ type: "adopt" }], description: "already refreshed" },
          { guard: { type: "writtenEnd" }, target: "ended", description: "end is stored" },
          { guard: { type: "written" }, target: "signedIn", actions: [{ type: "keepSettled" }], description: "token is stored" },
          {
            guard: { type: "pairInHand" },
            target: "revoking",
            actions: [{ type: "revokePairInHand" }],
            description: "login is gone, with a new token",
          },
          { target: "signedOut", description: "login is gone" },
        ],
        onError: [
          { guard: { type: "unfinished" }, target: "unsettled", actions: [{ type: "keepError" }], description: "store fails" },
          { target: "signedIn", description: "store fails, no result" },
        ],
      },
      on: { logout: { actions: [{ type: "leave" }], description: "noted for later" } },
    },
    unsettled: {
      description: "The result could not be written. A new pair stays in memory, usable, and the claim is kept.",
      tags: ["settled"],
      meta: { text: "Logged in, but the login is not stored yet." },
      always: { guard: { type: "leaving" }, target: "erasing", description: "logout was noted" },
      entry: [{ type: "countTry" }],
      after: { untilRetry: { target: "settling", description: "after a pause" } },
      on: {
        need: { target: "settling", description: "at once" },
        keep: { target: "settling", actions: [{ type: "keepGivenToken" }] },
        logout: { target: "erasing" },
      },
    },
    erasing: {
      description: "The stored login is being removed.",
      tags: ["busy"],
      meta: { text: "Logging out." },
      entry: [{ type: "stay" }],
      invoke: {
        id: "erase",
        src: "erase",
        onDone: [
          { guard: { type: "toRevoke" }, target: "revoking", actions: [{ type: "revokeRemoved" }], description: "a token to revoke" },
          { target: "signedOut", description: "nothing to revoke" },
        ],
        onError: [
          {
            guard: { type: "pairInHand" },
            target: "unsettled",
            actions: [{ type: "keepError" }],
            description: "store fails, with a new token",
          },
          { target: "unavailable", actions: [{ type: "keepError" }], description: "store fails" },
        ],
      },
    },
    revoking: {
      description: "The tokens are being revoked at the provider.",
      tags: ["busy"],
      meta: { text: "Revoking the tokens." },
      invoke: {
        id: "revoke",
        src: "revoke",
        onDone: { target: "signedOut", actions: [{ type: "keepRevocation" }], description: "revoked or not" },
        onError: { target: "signedOut", actions: [{ type: "keepNoRevocation" }], description: "revocation throws" },
      },
    },
  },
})
