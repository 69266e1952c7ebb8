// @ts-check
// An extraction service with other statuses, field names and content types than the emulator's own.
// Run it with: npx concord-emulator --service extraction --choices extraction.choices.mjs

/** @type {import('@concord/emulator').ChoicesFile} */
export default {
  extraction: {
    // `value` is what the response shows, `body` the emulator's own body. Return only what should differ.
    successResponse({ operation, value, body }) {
      if (operation === 'startOptimization' || operation === 'resumeOptimization') return { status: 202 }
      if (operation === 'listPipelines')
        return { body: value.map((name) => ({ id: name, label: name.toUpperCase() })) }
      if (operation === 'getJob') return { body: { ...body, file_name: value.fileName } }
      return undefined
    },
    errorResponse: ({ facts }) =>
      facts.waitMs === undefined
        ? undefined
        : { headers: { 'retry-after': String(Math.ceil(facts.waitMs / 1_000)) } },

    // Training documents in a form instead of JSON. A promise is awaited.
    async readBody({ operation, form }) {
      if (operation !== 'startOptimization' || !form) return undefined
      return { name: form.get('name'), training_documents: form.getAll('documents').map(String) }
    },

    // RFC 8628 would answer pending polls with 400.
    answerPoll: (state) => (state === 'pending' ? { status: 400 } : {}),
    courseOf: () => ({ queuedMs: 200, processingMs: 800 }),
  },
}
