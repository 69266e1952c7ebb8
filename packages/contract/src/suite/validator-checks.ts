import type { Example, SchemaAt, Spec } from '@concord/spec-model'
import { rowKey, webhookExamples, type RowExample } from '../coverage/matrix.ts'
import { type Finding, finding, isJson } from '../http/exchange.ts'
import { generateEverything, generateValid } from '../oracle/generate.ts'
import { mutantsOf } from '../oracle/mutate.ts'
import { seededRandom } from '../oracle/random.ts'
import { few, type Check, type CheckResult, type SuiteContext } from './context.ts'
import { hasFile } from './inputs.ts'
import { exampleValue, invalidExample } from './mock-checks.ts'
import { disagreements, judgedMutants, leftOpen } from './verdicts.ts'

type Verdict = (value: unknown) => boolean

/** Returns checks that call the client's validators directly, without a request. */
export function validatorChecks({ spec, subject: { validators } }: SuiteContext): Check[] {
  const examples = examplesByComponent(spec)
  return [
    ...(validators ? spec.schemas : []).map((name): Check => ({
      row: rowKey('schema', name, '-', '-', '-'),
      column: 'validators',
      run: async (context) => agreement(context, name, examples.get(name) ?? []),
    })),
    ...spec.webhooks.flatMap((webhook) =>
      webhookExamples(webhook).flatMap((one) => webhookChecks(webhook.name, one)),
    ),
  ]
}

/** Returns checks that call a webhook's validator with an example, changed copies of it, and random values. */
function webhookChecks(name: string, { media, example, key: row }: RowExample): Check[] {
  if (!media || !isJson(media.type)) return []
  const verdict = ({ subject }: SuiteContext): Verdict | undefined => subject.webhooks?.[name]
  const values = (context: SuiteContext): unknown[] => {
    const value = exampleValue(context, media, example)
    return value ? [value.value] : []
  }
  return [
    {
      row,
      column: 'mock',
      async run(context) {
        const [value] = values(context)
        const wrong = invalidExample(context.oracle, media, value, name)
        if (wrong) return { by: 'ajv', findings: [wrong] }
        return rejectedValid('responder', verdict(context), name, values(context))
      },
    },
    {
      row,
      column: 'dynamic',
      run: async (context) =>
        rejectedValid('responder', verdict(context), name, randomValues(context, media.schema)),
    },
    {
      row,
      column: 'validators',
      async run(context) {
        if (!media.schema) return { by: 'ajv', findings: [] }
        return compare(context, { name, schema: media.schema, values: values(context) }, verdict(context))
      },
    },
  ]
}

function rejectedValid(
  by: string,
  verdict: Verdict | undefined,
  name: string,
  values: readonly unknown[],
): CheckResult {
  if (!verdict) return { by, findings: [noValidator(name)] }
  const rejected = values.filter((value) => !verdict(value)).length
  if (values.length === 0) {
    return { by, findings: [finding('no-example', name, 'no valid value could be generated')] }
  }
  const message = `the validator rejects ${rejected} of ${values.length} valid values`
  return { by, findings: rejected === 0 ? [] : [finding('validator', name, message)] }
}

function agreement(context: SuiteContext, name: string, examples: readonly unknown[]): CheckResult {
  const schema = context.oracle.component(name)
  const values = [...examples, ...randomValues(context, schema)]
  const trial = { name, schema, values }
  const published = compare(context, trial, context.subject.validators?.[name])
  const own = context.subject.checks?.[name]
  if (!own) return published
  const { findings } = compare(context, trial, own, "the client's own check")
  return { ...published, findings: [...published.findings, ...findings] }
}

interface Trial {
  readonly name: string
  readonly schema: SchemaAt
  readonly values: readonly unknown[]
}

/** Tests whether a validator accepts the same values as Ajv. */
function compare(
  context: SuiteContext,
  { name, schema, values }: Trial,
  verdict: Verdict | undefined,
  who?: string,
): CheckResult {
  if (!verdict) {
    const isOfFile = hasFile(context.oracle, schema.schema)
    return { by: 'ajv', findings: [isOfFile ? noValue(name) : noValidator(name)] }
  }
  const everything = generateEverything(context.oracle, schema, seededRandom(name))
  const copies = [...values, everything].flatMap((value) => [
    { value, change: 'unchanged' },
    ...mutantsOf(value, everything),
  ])
  const compared = judgedMutants(context, schema, copies)
  const findings = disagreements(compared, verdict, name, who)
  if (values.length === 0) findings.push(finding('no-example', name, 'no valid value could be generated'))
  const note = `${compared.length} values compared.${leftOpen(copies, compared)}`
  return { by: 'ajv', note, findings: few(findings) }
}

function randomValues({ oracle, seed, sizes }: SuiteContext, schema: SchemaAt | undefined): unknown[] {
  if (!schema) return []
  const random = seededRandom(`${seed} ${schema.pointer}`)
  const fills = ['required', 'full', ...Array<'random'>(sizes.schemaValues).fill('random')] as const
  return fills.flatMap((fill) => {
    const drawn = generateValid(oracle, schema, random, fill)
    return drawn ? [drawn.value] : []
  })
}

function noValue(name: string): Finding {
  return finding('no-example', name, 'describes a file, so no JSON value can be tried')
}

function noValidator(name: string): Finding {
  return finding(
    'validator',
    name,
    'the suite got no validator for this schema; add one to `schemas` if you use describeClient(), otherwise to `webhooks` (for a webhook) or `validators`',
  )
}

function examplesByComponent(spec: Spec): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>()
  const add = (schema: SchemaAt | undefined, examples: readonly Example[]): void => {
    if (!schema?.component) return
    const list = found.get(schema.component) ?? []
    found.set(schema.component, [...list, ...examples.map((one) => one.value)])
  }
  for (const operation of spec.operations) {
    for (const media of operation.body?.media ?? []) add(media.schema, media.examples)
    for (const response of operation.responses) {
      for (const media of response.media) add(media.schema, media.examples)
    }
  }
  for (const webhook of spec.webhooks) for (const media of webhook.media) add(media.schema, media.examples)
  return found
}
