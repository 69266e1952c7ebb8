// @ts-check
// An extraction service with other statuses, field names and content types than the emulator's own.
// Run it with: npx concord-emulator --service extraction --choices extraction.choices.mjs

/** @type {import('@concord/emulator').ChoicesFile} */
export default {
  extraction: {
    // 202 for what is only accepted; every other success as the emulator has it.
    successStatus: ({ operation, status }) =>
      operation === 'startOptimization' || operation === 'resumeOptimization' ? 202 : status,

    // `value` is what the answer shows, `body` the emulator's own answer.
    successBody({ operation, value, body }) {
      if (operation === 'listPipelines') return value.map((name) => ({ id: name, label: name.toUpperCase() }))
      if (operation === 'getJob') return { ...body, file_name: value.fileName }
      return body
    },

    // Training documents in a form instead of JSON. A promise is awaited.
    async readBody({ operation, form }) {
      if (operation !== 'startOptimization' || !form) return undefined
      return { name: form.get('name'), training_documents: form.getAll('documents').map(String) }
    },

    // RFC 8628 would answer pending polls with 400.
    answerPoll: (state) => (state === 'pending' ? { status: 400 } : {}),
    queuedMs: () => 200,
    processingMs: () => 800,
    retryAfterSeconds: (waitMs) => Math.ceil(waitMs / 1_000),
  },
}
