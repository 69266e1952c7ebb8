import type { OperationModel, ServiceModel } from '../normalize/model.ts'

const BEGIN = '<!-- generated from x-retry and x-outcome: begin -->'
const END = '<!-- end -->'

/** Whether a failed call to an operation may have taken effect. */
export function canBeUncertain({ retry }: OperationModel): boolean {
  return retry.class !== 'safe'
}

/** The `@throws` text for an operation whose outcome can be uncertain. */
export function uncertainDoc({ outcome }: OperationModel): string {
  return (
    'SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may ' +
    `have taken effect. ${adviceOf(outcome)}`
  )
}

function adviceOf(outcome: OperationModel['outcome']): string {
  if (outcome?.lookUp !== undefined) return `\`${outcome.lookUp}\` shows whether the call took effect.`
  if (outcome?.again === 'harmless') return 'Calling again is harmless.'
  if (outcome?.again === 'spent') return 'The input works only once, and this call may have used it up.'
  return 'If you call again, the same work may be done and billed twice.'
}

/** Writes the section of a README about uncertain outcomes. */
export function withOutcomes(readme: string, { operations }: ServiceModel): string {
  const [before, after] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (before < 0 || after < before) return readme
  const names = (list: readonly OperationModel[]) =>
    new Intl.ListFormat('en-GB').format(list.map(({ id }) => `\`${id}\``))
  const unsafe = operations.filter(canBeUncertain)
  const safe = operations.filter((operation) => !canBeUncertain(operation))
  const which =
    safe.length > 0 && safe.length < unsafe.length
      ? `For all operations except ${names(safe)}, the outcome of a call can be uncertain: if the response`
      : `For these operations, the outcome of a call can be uncertain: ${names(unsafe)}. If the response`
  const sentence =
    unsafe.length === 0
      ? 'No call throws a `SubmissionUncertainError`, because every operation can be repeated safely.'
      : `${which} ` +
        'is lost, is unreadable, or is still a 5xx after any retries, the call may have taken effect. ' +
        "In that case, the call throws a `SubmissionUncertainError`. The error's `remedy` says what to do. After a 5xx, the error's `cause` " +
        'is the `ServerError`.'
  return `${readme.slice(0, before)}${BEGIN}\n\n${inLines(sentence)}\n\n${readme.slice(after)}`
}

function inLines(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < 125) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
