// @ts-check
// A storage service with different statuses and claims, and a limit of token requests per calendar minute.
// Run it with: npx concord-emulator --service storage-auth --choices storage-auth.choices.mjs

/** @type {import('@concord/emulator').ChoicesFile} */
export default {
  storageAuth: {
    successResponse: ({ operation, value }) =>
      operation === 'deleteApiKey' ? { status: 200, body: { id: value.id, status: 'revoked' } } : undefined,
    errorResponse: ({ facts }) =>
      facts.waitMs === undefined
        ? undefined
        : { headers: { 'retry-after': String(Math.ceil(facts.waitMs / 1_000)) } },

    lock: { lastFailureSaysLocked: true, attemptsExtend: true },
    session: { reuseEnds: true },
    rate: { window: 'fixed' },
    accessTokenClaims: ({ account, issuedAt, expiresAt }) => ({
      sub: account.id,
      org: account.organizationId,
      iat: issuedAt,
      exp: expiresAt,
    }),
  },
}
