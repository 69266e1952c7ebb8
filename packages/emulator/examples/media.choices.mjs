// @ts-check
// A media service with different field names, whose uploads are forms, and whose responses to changes have no body.
// Run it with: npx concord-emulator --service media --choices media.choices.mjs

/** @type {import('@concord/emulator').ChoicesFile} */
export default {
  media: {
    successResponse({ operation, value, body }) {
      if (operation === 'updateAvatar' || operation === 'deleteAvatar') return { status: 204 }
      if (operation === 'page:upload') return { status: 201 }
      if (operation === 'createUpload') return { body: { handle: value.uri, putFileAt: value.uploadUrl } }
      if (operation === 'getTask')
        return { body: { ...body, createdAt: new Date(value.createdAt).toISOString() } }
      return undefined
    },
    errorResponse: ({ kind, message }) => ({ body: { error: { code: kind, message } } }),
    statuses: { 'credits-exhausted': 429 },

    // An upload is a POST of a form, whose part `file` is the file.
    uploads: { methods: ['POST'], lifetimeMs: 3_600_000 },
    readUpload({ form }) {
      const file = form?.get('file')
      return file instanceof Blob ? file : undefined
    },

    tierLimits: ({ concurrency }) => ({ concurrency: concurrency.max }),
    courseOf: ({ model }) => ({ pendingMs: 200, runningMs: model.startsWith('gen4_image') ? 300 : 2_000 }),
  },
}
