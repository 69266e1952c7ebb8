import { describe, expect, it } from 'vitest'

import { at, objectAt, readDocument } from './document.ts'
import type { Json } from './document.ts'
import { operationsOf } from './walk.ts'

const openapi = readDocument('speech/openapi.yaml')
const asyncapi = readDocument('speech/asyncapi.yaml')
const calls = objectAt(openapi, 'info')
const sockets = objectAt(asyncapi, 'info')
const operation = (id: string) =>
  operationsOf(openapi).find(({ value }) => value['operationId'] === id)?.value ?? {}
const parameter = (name: string) => at(openapi, `/components/parameters/${name}`)
const body = (name: string) => at(openapi, `/components/schemas/${name}`)
const channel = (id: string) => at(asyncapi, `/channels/${id}`)
const schema = (name: string) => at(asyncapi, `/components/schemas/${name}`)
const property = (name: string, key: string) => at(asyncapi, `/components/schemas/${name}/properties/${key}`)
const tooMany = at(openapi, '/components/responses/TooManyConnections')
const rules = (id: string) => objectAt(channel(id), 'x-socket-rules')

const says = (words: string, text: unknown) => expect(String(text).replaceAll(/\s+/g, ' ')).toContain(words)

describe('what is said in words', () => {
  it.each([
    [
      'what the addresses serve',
      '`{api_url}` serves REST and WebSockets. `{agent_url}` serves the voice agent',
    ],
    ['what is on a WebSocket alone', '| conversational transcription, with turn detection built in | - |'],
    ['what is a call alone', '| text analysis | `POST /v1/read` | - |'],
    ['what the versions are', '`/v2` is not the successor of `/v1`: only `/v2/listen` exists'],
    ['which families there are', 'any method on two families of paths'],
    ['how a key is sent', 'an API key: `Authorization: Token <API_KEY>`'],
    ['how a JWT is sent', 'a JWT: `Authorization: Bearer <JWT>`. `POST /v1/auth/grant` issues JWTs.'],
    ['how long a JWT lives', 'expires after 30 seconds by default'],
    ['when that matters', 'only at the upgrade to a WebSocket: an open connection stays open'],
    [
      'where options go',
      'go on the URL as query parameters. The body of `POST /v1/listen` carries only audio.',
    ],
    ['what 400 is', '| 400 | a `Speak` message with empty text'],
    ['what 429 is', '| 429 | too many simultaneous connections |'],
    ['what DATA-0000 is', '| DATA-0000 | the encoding does not match the audio |'],
    [
      'what DATA-0001 is',
      '| DATA-0001 | the character rate limit on synthesis; slow down instead of retrying',
    ],
    ['what is counted', 'counts connections that are open at the same time, not requests'],
    ['what lowers the allowance', 'such as diarization, lower the allowance further'],
  ])('the introduction of the calls says %s', (_, words) => {
    says(words, calls['description'])
  })

  it.each([
    ['where options go', 'The initial options go on the URL as query parameters.'],
    ['how credentials are sent', '`Token <API_KEY>` or `Bearer <JWT>`'],
    ['when a JWT has to be valid', 'only at the upgrade: an established connection stays open'],
    ['what is counted', 'counts connections that are open at the same time, not requests'],
    ['what lowers the allowance', 'such as diarization, lower the allowance further'],
    ['that the encoding must be right', 'A mismatch gives the error DATA-0000, or garbled output.'],
    ['what needs no encoding', '`encoding` is omitted for mp3, wav and ogg.'],
    ['what an empty frame does', 'A binary frame of length zero closes the connection: never send one.'],
    ['what KeepAlive is', 'KeepAlive is a text frame. Sent as a binary frame it stalls transcription.'],
    ['where time begins', 'Time stamps restart at 00:00:00 on each new connection.'],
    ['what 400 is', '| 400 | a `Speak` message with empty text |'],
    ['what 429 is', '| 429 | too many simultaneous connections |'],
    ['what DATA-0000 is', '| DATA-0000 | the encoding does not match the audio |'],
    [
      'what DATA-0001 is',
      '| DATA-0001 | the character rate limit on synthesis; slow down instead of retrying',
    ],
    ['what /v2/listen is', '`/v2/listen` is not a newer `/v1/listen`; it is the conversational family'],
  ])('the introduction of the WebSockets says %s', (_, words) => {
    says(words, sockets['description'])
  })

  it.each<[string, Json, string]>([
    ['a recording', operation('transcribe'), 'the audio of a file as the body'],
    ['its options', operation('transcribe'), 'All options are query parameters.'],
    ['its body', at(operation('transcribe'), '/requestBody'), 'The audio, and nothing else.'],
    ['one-shot synthesis', operation('synthesize'), 'The options go on the URL as query parameters.'],
    ['an analysis', operation('analyzeText'), 'Finds summaries, sentiment, topics and intents in a text.'],
    ['a grant', operation('grantToken'), 'expires after 30 seconds by default'],
    ['language models', operation('listThinkModels'), 'Served at `{agent_url}`.'],
    ['an API key', at(openapi, '/components/securitySchemes/apiKey'), '`Authorization: Token <API_KEY>`'],
    ['diarization', parameter('Diarize'), 'lowers the number of connections'],
    ['utterance ends', parameter('UtteranceEndMs'), 'Controls the voice-activity and utterance-end events'],
    ['a 429', tooMany, 'counts connections that are open at the same time, not requests'],
    ['silence', channel('liveTranscription'), 'closes after 10 seconds without audio. During silence, send'],
    ['its events', channel('liveTranscription'), 'emit voice-activity and utterance-end events'],
    ['what controls them', channel('liveTranscription'), 'which `utterance_end_ms` controls'],
    ['turns', channel('conversation'), 'turn events with end-of-turn, eager end-of-turn and a turn index'],
    ['its few options', channel('conversation'), 'a much smaller set of options than `/v1/listen`'],
    ['synthesis', channel('speechStream'), 'slow down instead of retrying at once'],
    ['its options', channel('speechStream'), 'The options go on the URL.'],
    ['the agent', channel('agent'), 'a configured language model and text to speech run inside the service'],
    ['its query', channel('agent'), 'no query parameters: all configuration is in `Settings`'],
    ['its gate', channel('agent'), '`Settings` has to be sent and acknowledged before any audio.'],
    [
      'what comes earlier',
      channel('agent'),
      'Everything that is sent earlier is ignored, whether it is audio or text.',
    ],
    ['encoding', property('LiveTranscriptionOptions', 'encoding'), 'omitted for mp3, wav and ogg'],
    ['the one model', property('ConversationOptions', 'model'), '`flux` alone is invalid.'],
    [
      'language of v2',
      property('ConversationOptions', 'language'),
      'must not be sent for containerized audio',
    ],
    [
      'encoding of v2',
      property('ConversationOptions', 'encoding'),
      'must not be sent for containerized audio',
    ],
    ['unavailable options', schema('ConversationOptions'), '`smart_format`, `diarize` and `punctuate` are'],
    ['thresholds', schema('Thresholds'), 'A threshold that is left out keeps its value.'],
    ['how they are written', property('Thresholds', 'eot_threshold'), 'A number, encoded as text.'],
    ['a time', property('Thresholds', 'eot_timeout_ms'), 'A number, encoded as text.'],
    ['a success', schema('ConfigureSuccess'), 'Confirms a Configure and echoes the applied values.'],
    ['a failure', schema('ConfigureFailure'), 'Refuses a Configure.'],
    ['a text', property('Speak', 'text'), 'An empty one gives the error 400.'],
  ])('the place itself says it of %s', (_, place, words) => {
    says(words, (place as { description?: string }).description)
  })
})

describe('values and rules', () => {
  it('are five models of /v1/listen, the same for a file and live', () => {
    expect(body('ListenModel')['enum']).toEqual(['nova-3', 'nova-2', 'nova', 'enhanced', 'base'])
    expect(parameter('ListenModel')['schema']).toEqual({ $ref: '#/components/schemas/ListenModel' })
    expect(property('LiveTranscriptionOptions', 'model')).toEqual({
      $ref: './openapi.yaml#/components/schemas/ListenModel',
    })
  })

  it('close a connection at an empty frame wherever audio is sent', () => {
    const closing = ['liveTranscription', 'conversation', 'speechStream', 'agent'].filter(
      (id) => rules(id)['emptyBinaryCloses'] === true,
    )
    expect(closing).toEqual(['liveTranscription', 'conversation', 'agent'])
  })

  it('have no place for anything that only other services of this kind are known to have', () => {
    for (const document of [openapi, asyncapi])
      expect(JSON.stringify(document)).not.toMatch(
        /CloseStream|Finalize|"Flush"|"Clear"|SpeechStarted|UtteranceEnd"|TurnInfo|SettingsApplied|Welcome|vad_events|ttl_seconds/,
      )
  })
})

describe('open places', () => {
  it.each<[string, Json, string]>([
    ['addresses', calls, 'values of `{api_url}` and `{agent_url}`'],
    ['the families of paths', calls, 'Methods, paths below the wildcard, requests and responses'],
    ['records', calls, 'records of projects, models, grants and self-hosted resources'],
    ['the shape of errors', calls, 'shape of error bodies'],
    ['statuses', calls, 'Statuses other than 400 and 429'],
    ['where codes come', calls, 'DATA-0000 and DATA-0001 are delivered'],
    ['429 of calls', calls, '429 is also an answer to REST calls'],
    ['the allowance', calls, 'number of connections that are allowed'],
    ['which credential', calls, 'Which of the two credentials an operation accepts'],
    ['expiry at calls', calls, 'whether REST calls check the expiry'],
    ['another lifetime', calls, 'another lifetime of a JWT'],
    ['deprecations', calls, 'policy for changes and deprecations'],
    ['wss from https', sockets, 'how the WebSocket form is obtained'],
    [
      'errors on a connection',
      sockets,
      'How 400, DATA-0000 and DATA-0001 are delivered on an open connection',
    ],
    ['how it ends', sockets, 'Close codes and reasons, and how a client ends a stream properly.'],
    ['Retry-After', sockets, '`Retry-After`'],
    ['browsers', sockets, 'cannot set headers, such as a browser'],
    ['events', sockets, 'all events other than ConfigureSuccess and ConfigureFailure'],
    ['the list of options', operation('transcribe'), 'complete list of query parameters'],
    ['which are for what', operation('transcribe'), 'apply to REST, to the WebSocket, or to both'],
    [
      'whether there must be a model',
      operation('transcribe'),
      'Whether `model` is required, and the defaults',
    ],
    ['encoding at a call', operation('transcribe'), 'rules for `encoding` of the WebSocket also hold here'],
    ['formats', at(operation('transcribe'), '/requestBody'), 'formats and content types'],
    ['options of synthesis', operation('synthesize'), 'names and values of the query parameters'],
    ['an empty text at a call', operation('synthesize'), 'empty text is refused here'],
    ['options of an analysis', operation('analyzeText'), 'does not mean that they exist here'],
    ['a transcript', body('Transcript'), 'The shape.'],
    ['a synthesis', body('SynthesisRequest'), 'The `text` of the WebSocket message'],
    ['its audio', body('Audio'), 'The formats'],
    ['an analysis', body('TextAnalysisRequest'), 'The shape.'],
    ['its answer', body('TextAnalysis'), 'The shape.'],
    ['models', body('ModelList'), 'The shape.'],
    ['a grant', body('GrantRequest'), 'The shape.'],
    ['its answer', body('Grant'), 'the name of the field that holds the JWT'],
    ['language models', body('ThinkModelList'), 'The shape.'],
    ['errors', body('ErrorBody'), 'The shape.'],
    ['transcripts', channel('liveTranscription'), 'Transcript results, their names and payloads.'],
    ['voice activity', channel('liveTranscription'), 'anything besides `utterance_end_ms` switches them on'],
    [
      'a stall',
      channel('liveTranscription'),
      'a binary KeepAlive stalls transcription, and what ends the stall',
    ],
    ['turns', channel('conversation'), 'turn events, and the transitions of a turn'],
    ['which answer is for what', channel('conversation'), 'belongs to which Configure'],
    ['how flux is refused', channel('conversation'), 'the model `flux`'],
    ['KeepAlive of v2', channel('conversation'), 'Whether KeepAlive exists here'],
    ['KeepAlive of synthesis', channel('speechStream'), 'Whether KeepAlive exists here'],
    ['KeepAlive of the agent', channel('agent'), 'Whether KeepAlive exists here'],
    ['what synthesis sends', channel('speechStream'), 'What the service sends here.'],
    ['the end of its audio', channel('speechStream'), 'How the end of the audio of a text is recognised.'],
    ['flushing', channel('speechStream'), 'Messages of the client other than Speak.'],
    ['the acknowledgement', channel('agent'), 'The name and shape of the acknowledgement of Settings.'],
    ['live options', schema('LiveTranscriptionOptions'), 'The complete list of parameters'],
    ['options of v2', schema('ConversationOptions'), 'The complete list of parameters'],
    [
      'thresholds on the URL',
      schema('ConversationOptions'),
      'thresholds or key terms can be given here at first',
    ],
    ['options of synthesis', schema('SpeechStreamOptions'), 'names and values of the options'],
    ['key terms', schema('Configure'), '`keyterms` is left out or empty'],
    ['ranges', schema('Thresholds'), 'The ranges of the two thresholds, and whether there are others.'],
    ['the type of a success', schema('ConfigureSuccess'), 'is the ordinary reading'],
    ['the type of a failure', schema('ConfigureFailure'), 'is the ordinary reading'],
    ['the echo', schema('ConfigureSuccess'), 'names and forms of the echoed values'],
    ['a reason', schema('ConfigureFailure'), 'whether a reason is given'],
    ['the type of Speak', schema('Speak'), 'Whether it has a `type`'],
    ['Settings', schema('Settings'), 'The contents, and whether it has a `type`'],
    ['other messages', schema('ServerEvent'), 'The shape.'],
  ])('are marked: %s', (_, place, words) => {
    const { 'x-not-shown': open = [] } = place as { 'x-not-shown'?: string[] }
    expect(open.join(' ')).toContain(words)
  })

  it.each([
    'Transcript',
    'SynthesisRequest',
    'TextAnalysisRequest',
    'TextAnalysis',
    'ModelList',
    'GrantRequest',
    'Grant',
    'ThinkModelList',
    'ErrorBody',
  ])('of a whole body say nothing about it: %s', (name) => {
    const { description: _, 'x-not-shown': __, 'x-secret': ___, ...rest } = body(name)
    expect(rest).toEqual({})
  })
})
