// @ts-check
// An extraction service whose statuses, field names and content types differ from the emulator's own.
// Run it with: npx concord-emulator --service extraction --choices extraction.choices.mjs

/** @type {import('@concord/emulator').ChoicesFile} */
export default {
  extraction: {
    // `value` is the object that the response represents, `body` the emulator's own body. Return only the members that should
    // differ.
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

    // Reads training documents from a form instead of JSON. This choice can be async.
    async readBody({ operation, form }) {
      if (operation !== 'startOptimization' || !form) return undefined
      return { name: form.get('name'), training_documents: form.getAll('documents').map(String) }
    },

    // In RFC 8628, the response to a pending poll is a 400.
    respondToPoll: (state) => (state === 'pending' ? { status: 400 } : {}),
    courseOf: () => ({ queuedMs: 200, processingMs: 800 }),
  },
}
