import type { Log, Result } from 'sarif'

import type { Change } from './findings.ts'
import { type ReleasePlan, verdictOf } from './plan.ts'
import { type Rule, rules } from './rules/index.ts'

const LEVELS = { none: 'note', patch: 'note', minor: 'note', major: 'error' } as const

/** Renders the plan as SARIF 2.1.0 for code scanning and editors. */
export function sarifText(plan: ReleasePlan): string {
  const kinds = [...new Set(plan.changes.map(({ kind }) => kind))].sort()
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'release-plan',
            rules: kinds.map((kind) => {
              const rule: Rule = rules[kind]
              return {
                id: kind,
                shortDescription: { text: rule.says.replace('{in}', '').replace(/`?\{\w+\}`?/g, '…') },
                fullDescription: { text: [...new Set([rule.why.sent, rule.why.received])].join(' ') },
              }
            }),
          },
        },
        results: plan.changes.map((change) => result(change, kinds)),
      },
    ],
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

function result(change: Change, kinds: readonly string[]): Result {
  const { kind, message, place, was, wire, typescript, service, usedBy } = change
  const level = LEVELS[verdictOf(change)]
  return {
    ruleId: kind,
    ruleIndex: kinds.indexOf(kind),
    level,
    message: { text: level === 'error' ? `${message} ${change.why}` : message },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: place.file }, region: { startLine: place.line } },
        logicalLocations: [{ fullyQualifiedName: place.pointer || '/' }],
      },
    ],
    properties: { service, wire, typescript, usedBy, ...(was ? { was } : {}) },
  }
}
