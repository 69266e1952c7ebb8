// @ts-check
// A media service whose uploads are forms, whose changes are answered without a body, and with fields of its own.
// Run it with: npx concord-emulator --service media --choices media.choices.mjs

/** @type {import('@concord/emulator').ChoicesFile} */
export default {
  media: {
    successStatus({ operation, status }) {
      if (operation === 'updateAvatar' || operation === 'deleteAvatar') return 204
      return operation === 'page:upload' ? 201 : status
    },

    successBody({ operation, value, body }) {
      if (operation === 'createUpload') return { handle: value.uri, putFileAt: value.uploadUrl }
      if (operation === 'getTask') return { ...body, createdAt: new Date(value.createdAt).toISOString() }
      return body
    },

    // The file is the part `file` of a form that is sent with POST.
    uploads: { methods: ['POST'], lifetimeMs: 3_600_000 },
    readUpload({ form }) {
      const file = form?.get('file')
      return file instanceof Blob ? file : undefined
    },

    concurrency: ({ max }) => max,
    pendingMs: () => 200,
    runningMs: ({ model }) => (model.startsWith('gen4_image') ? 300 : 2_000),
    statuses: { 'credits-exhausted': 429 },
    errorBody: ({ kind, message }) => ({ error: { code: kind, message } }),
  },
}
