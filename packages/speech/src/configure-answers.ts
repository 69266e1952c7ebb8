import { checkOptionNames, OptionsError, type OptionNames } from '@concord/runtime'

import { conversation } from './gen/channels.gen.ts'

/** What tells a message from others: the value at a JSON Pointer into it. @public */
export interface AnswerTag {
  readonly pointer: string
  readonly equals: string | number | boolean
}

/**
 * What tells the two answers to `Configure` from other messages, where it is not the field `type`: that it is the field
 * `type`, as with KeepAlive and Configure, is the ordinary reading of the documentation, which does not show it.
 *
 * @see specs/speech/asyncapi.yaml#/components/schemas/ConfigureSuccess
 * @public
 */
export interface ConfigureAnswers {
  readonly success: AnswerTag
  readonly failure: AnswerTag
}

const ANSWER_NAMES: OptionNames<ConfigureAnswers> = { success: true, failure: true }
const TAG_NAMES: OptionNames<AnswerTag> = { pointer: true, equals: true }

/** The channel with the answers told apart as the caller says. @throws OptionsError */
export function withAnswers(answers: ConfigureAnswers | undefined): typeof conversation {
  if (answers === undefined) return conversation
  checkOptionNames(answers, ANSWER_NAMES, 'answers')
  const { success, failure } = answers
  const { receives } = conversation
  return {
    ...conversation,
    // What the contract says of the two would be said of other messages, so nothing is.
    receives: {
      configureSuccess: { kind: 'json', tags: [toTag(success, 'answers.success')] },
      configureFailure: { kind: 'json', tags: [toTag(failure, 'answers.failure')] },
      ...Object.fromEntries(Object.entries(receives).filter(([key]) => !key.startsWith('configure'))),
    },
  }
}

function toTag(tag: AnswerTag, option: string): AnswerTag {
  checkOptionNames(tag ?? {}, TAG_NAMES, option)
  if (typeof tag?.pointer === 'string' && tag.pointer.startsWith('/') && tag.equals !== undefined) return tag
  throw new OptionsError(
    option,
    'does not say where which value stands.',
    "Give { pointer: '/event', equals: 'done' }.",
  )
}
