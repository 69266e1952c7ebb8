import type { Check, Rules } from '../normalize/rules.ts'

/** Returns a test for finite numbers, except if a check for whole numbers already rejects infinite numbers. */
export function finiteTests({ checks = [] }: Rules, value: string): string[] {
  return checks.some(({ check }) => check === 'integer' || check === 'int32')
    ? []
    : [`Number.isFinite(${value})`]
}

/** Returns the code of each check. This code relies on an earlier test of the value's type. */
export function checkTests({ checks = [] }: Rules, value: string): string[] {
  return checks.map((each) => checkTest(each, value))
}

function checkTest(check: Check, value: string): string {
  switch (check.check) {
    case 'integer':
      return `Number.isInteger(${value})`
    case 'int32':
      return `isInt32(${value})`
    case 'uuid':
      return `isUuid(${value})`
    case 'date':
      return `isDate(${value})`
    case 'dateTime':
      return `isDateTime(${value})`
    case 'uri':
      return `isUri(${value})`
    case 'unique':
      return `hasUniqueItems(${value})`
    case 'pattern':
      return `${printPattern(check.value)}.test(${value})`
    case 'multipleOf':
      return Number.isInteger(check.value)
        ? `Number.isInteger(${value} / ${check.value})`
        : `isMultipleOf(${check.value})(${value})`
    case 'minimum':
      return `${value} >= ${check.value}`
    case 'maximum':
      return `${value} <= ${check.value}`
    case 'exclusiveMinimum':
      return `${value} > ${check.value}`
    case 'exclusiveMaximum':
      return `${value} < ${check.value}`
    case 'minItems':
      return `${value}.length >= ${check.value}`
    case 'maxItems':
      return `${value}.length <= ${check.value}`
    case 'minProperties':
      return `Object.keys(${value}).length >= ${check.value}`
    case 'maxProperties':
      return `Object.keys(${value}).length <= ${check.value}`
    // `length` counts each code point as 1 or 2. If `length` alone proves that a string is within the limit, the
    // generated code skips the slower count of the code points.
    case 'minCodePoints':
      if (check.value <= 1) return `${value}.length >= ${check.value}`
      return `${value}.length >= ${check.value * 2} || hasMinCodePoints(${check.value})(${value})`
    case 'maxCodePoints':
      return `${value}.length <= ${check.value} || hasMaxCodePoints(${check.value})(${value})`
  }
}

export function printPattern(pattern: string): string {
  return String(new RegExp(pattern, 'u'))
}
