import { success } from '../../core/reply.ts'
import { isObject } from '../../core/json.ts'
import type { ChannelSpecification } from '../../core/channels.ts'
import type { Specification } from '../../core/specification.ts'
import { TOKEN_LIFETIME_SECONDS } from '../accounts.ts'
import type { SpeechContext, SpeechHandler } from '../state.ts'
import { deny } from '../denials.ts'
import { jsonOf } from './audio.ts'

/** `POST /v1/read`. */
function analyzeText({ choices }: SpeechContext): SpeechHandler {
  return {
    handle({ body }) {
      const { text } = choices.readBody({ operation: 'analyzeText', body: jsonOf(body) })
      if (text === undefined) return deny(choices, 'request-rejected', { reasons: ['the text is missing'] })
      const analysis = choices.analyze(text)
      return success(200, analysis, { ...analysis })
    },
  }
}

/** `GET /v1/models`: the models in the contract. */
function listModels(specification: Specification, channels: ChannelSpecification): SpeechHandler {
  const listen = specification.at('#/components/schemas/ListenModel')
  const names = isObject(listen) && Array.isArray(listen['enum']) ? listen['enum'].map(String) : []
  const query = channels.channels.find(({ id }) => id === 'conversation')?.query
  const conversational = query && channels.at(`#${query.pointer}/properties/model/const`)
  const models = [
    ...names.map((name) => ({ name, purpose: '/v1/listen' })),
    ...(typeof conversational === 'string' ? [{ name: conversational, purpose: '/v2/listen' }] : []),
  ]
  return { handle: () => success(200, models, models) }
}

/** The emulator's own language models; the service's are undocumented. */
const THINK_MODELS = [{ name: 'emulator-echo' }]

/** `GET /v1/agent/settings/think/models`. */
function listThinkModels(): SpeechHandler {
  return { handle: () => success(200, THINK_MODELS, THINK_MODELS) }
}

/** `POST /v1/auth/grant`: grants a JWT for 30 seconds or the requested lifetime. */
function grantToken({ choices, accounts }: SpeechContext): SpeechHandler {
  return {
    handle({ body: requestBody, caller }) {
      if (!caller) return deny(choices, 'key-invalid')
      const { lifetimeSeconds = TOKEN_LIFETIME_SECONDS } = choices.readBody({
        operation: 'grantToken',
        body: jsonOf(requestBody),
      })
      const token = accounts.grant(caller.key, lifetimeSeconds)
      const body = { access_token: token, expires_in: lifetimeSeconds }
      return success(200, { token, lifetimeSeconds }, body)
    },
  }
}

export function textHandlers(
  context: SpeechContext,
  specification: Specification,
  channels: ChannelSpecification,
): Record<string, SpeechHandler> {
  return {
    analyzeText: analyzeText(context),
    listModels: listModels(specification, channels),
    grantToken: grantToken(context),
    listThinkModels: listThinkModels(),
  }
}
