import { command, commonCommands } from '../core/common-commands.ts'
import type { ControlCommands } from '../core/control-http.ts'
import type { JsonObject } from '../core/json.ts'
import { socketCommands } from '../core/socket-control.ts'
import type { SpeechControl, SpeechState } from './control.ts'
import type { ReplyScript, TranscriptScript } from './scripts.ts'

const TEXT: JsonObject = { type: 'string' }
const NUMBER: JsonObject = { type: 'number' }
const TIMES: JsonObject = { anyOf: [{ type: 'integer' }, { const: 'always' }] }

/** The control interface of the speech service as commands over HTTP. */
export function speechCommands(control: SpeechControl, readState: () => SpeechState): ControlCommands {
  return {
    ...commonCommands(control, readState),
    ...socketCommands(control),
    'script-transcript': {
      arguments: {
        text: TEXT,
        on: { enum: ['transcribe', 'liveTranscription', 'conversation', 'agent'] },
        times: TIMES,
      },
      optional: ['on', 'times'],
      run: (script: TranscriptScript) => control.scriptTranscript(script),
    },
    'script-reply': {
      arguments: { text: TEXT, times: TIMES },
      optional: ['times'],
      run: (script: ReplyScript) => control.scriptReply(script),
    },
    'grant-token': {
      arguments: { key: TEXT, lifetimeSeconds: NUMBER },
      optional: ['key', 'lifetimeSeconds'],
      run: (wanted: { key?: string; lifetimeSeconds?: number }) => ({ token: control.grantToken(wanted) }),
    },
    'add-key': {
      arguments: { key: TEXT },
      optional: ['key'],
      run: ({ key }: { key?: string }) => ({ key: control.addKey(key) }),
    },
    'set-connection-allowance': command({ allowance: NUMBER }, ({ allowance }: { allowance: number }) =>
      control.setConnectionAllowance(allowance),
    ),
  }
}
