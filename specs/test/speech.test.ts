import { at, objectAt, readDocument, type JsonObject } from './document.ts'
import { testVerdicts } from './values.ts'

const model = 'flux-general-en'
const configureWith = (thresholds: JsonObject): JsonObject => ({ type: 'Configure', thresholds })

/** The AsyncAPI document with the schemas of the OpenAPI document, which it refers to. */
function channelsWithSchemas(): JsonObject {
  const text = JSON.stringify(readDocument('speech/asyncapi.yaml'))
  const own = JSON.parse(text.replaceAll('./openapi.yaml#/', '#/')) as JsonObject
  const components = objectAt(own, 'components')
  const others = at(readDocument('speech/openapi.yaml'), '/components/schemas')
  return { ...own, components: { ...components, schemas: { ...others, ...objectAt(components, 'schemas') } } }
}

testVerdicts(channelsWithSchemas(), [
  ['Configure', 'accepts', 'only the type', { type: 'Configure' }],
  ['Configure', 'accepts', 'one threshold', configureWith({ eot_threshold: '0.75' })],
  ['Configure', 'accepts', 'another threshold', configureWith({ anything: 1 })],
  ['Configure', 'accepts', 'no key terms', { type: 'Configure', keyterms: [] }],
  ['Configure', 'rejects', 'a threshold as a number', configureWith({ eot_threshold: 0.75 })],
  ['Configure', 'rejects', 'a threshold in words', configureWith({ eot_timeout_ms: 'long' })],
  ['Configure', 'rejects', 'an empty threshold', configureWith({ eot_timeout_ms: '' })],
  ['Configure', 'rejects', 'a key term that is a number', { type: 'Configure', keyterms: [1] }],
  ['Configure', 'rejects', 'no type', { thresholds: {} }],
  ['Speak', 'accepts', 'a string', { text: 'a' }],
  ['Speak', 'accepts', 'a blank string', { text: ' ' }],
  ['Speak', 'accepts', 'a string and a type', { type: 'Speak', text: 'a' }],
  ['Speak', 'rejects', 'an empty string', { text: '' }],
  ['Speak', 'rejects', 'no string', {}],
  ['Settings', 'accepts', 'nothing', {}],
  ['Settings', 'accepts', 'any fields', { anything: [1] }],
  ['ServerEvent', 'accepts', 'any form', 'anything'],
  ['ConversationOptions', 'accepts', 'the only model', { model }],
  ['ConversationOptions', 'accepts', 'nothing', {}],
  ['ConversationOptions', 'accepts', 'raw audio', { model, language: 'en', encoding: 'any' }],
  ['ConversationOptions', 'accepts', 'a parameter without documentation', { model, anything: '1' }],
  ['ConversationOptions', 'rejects', 'the bare name flux', { model: 'flux' }],
  ['ConversationOptions', 'rejects', 'a model of /v1/listen', { model: 'nova-3' }],
  ['ConversationOptions', 'rejects', 'smart_format', { model, smart_format: true }],
  ['ConversationOptions', 'rejects', 'diarize', { model, diarize: false }],
  ['ConversationOptions', 'rejects', 'punctuate', { model, punctuate: 'true' }],
])
