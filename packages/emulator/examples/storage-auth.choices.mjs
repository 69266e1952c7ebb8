// @ts-check
// A storage service with other statuses and claims, and a limit of token requests that is counted in fixed minutes.
// Run it with: npx concord-emulator --service storage-auth --choices storage-auth.choices.mjs

/** @type {import('@concord/emulator').ChoicesFile} */
export default {
  storageAuth: {
    successStatus: ({ operation, status }) => (operation === 'deleteApiKey' ? 200 : status),

    successBody(success) {
      if (success.operation === 'deleteApiKey') return { id: success.value.id, status: 'revoked' }
      return success.body
    },

    lock: { lastFailureSaysLocked: true, attemptsExtend: true },
    session: { reuseEnds: true },
    rate: { window: 'fixed' },
    retryAfterSeconds: (waitMs) => Math.ceil(waitMs / 1_000),
    accessTokenClaims: ({ account, issuedAt, expiresAt }) => ({
      sub: account.id,
      org: account.organizationId,
      iat: issuedAt,
      exp: expiresAt,
    }),
  },
}
