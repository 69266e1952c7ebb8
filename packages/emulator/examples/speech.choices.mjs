// @ts-check
// A speech service that sends a greeting on every channel, supports more messages than the documentation shows, lists its
// models without a credential, and has its own event names.
// Run it with: npx concord-emulator --service speech --choices speech.choices.mjs

/** @type {import('@concord/emulator').ChoicesFile} */
export default {
  speech: {
    greeting: ({ channel }) => [{ type: 'Welcome', channel }],

    // `undefined` leaves the response to the emulator.
    respondToMessage({ channel, problem, message }) {
      const type =
        typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined
      if (type === 'CloseStream')
        return { send: [{ type: 'Metadata' }], close: { code: 1000, reason: 'done' } }
      if (channel === 'speechStream' && type === 'Flush') return { send: [{ type: 'Flushed' }] }
      return problem === 'audio-mismatch' ? { close: { code: 1011, reason: 'DATA-0000' } } : undefined
    },

    acceptsCredential: ({ target, credential }) => credential !== 'none' || target === 'listModels',

    showEvent(event) {
      switch (event.kind) {
        case 'transcript':
          return { type: 'Results', transcript: event.words.map(({ word }) => word).join(' ') }
        case 'utterance-end':
          return { type: 'UtteranceEnd', last_word_end: event.lastWordEndMs / 1_000 }
        case 'configured':
          return { type: 'ConfigureSuccess', thresholds: event.values.thresholds }
        case 'settings-accepted':
          return { type: 'SettingsApplied' }
        default:
          return undefined
      }
    },

    timing: { segment: 1_000, settings: 0 },
    successResponse: ({ operation, value }) =>
      operation === 'grantToken' ? { body: { token: value.token, ttl: value.lifetimeSeconds } } : undefined,
  },
}
