import type { Assertion, PlainSchema } from '../normalize/rules.ts'
import { pascalCase } from '../normalize/names.ts'
import { QuickChecks } from './quick-checks.ts'

/** A function that a zod schema calls, and the message about a value that the function rejects. */
interface AssertionTest {
  readonly name: string
  readonly message: string
}

/** The functions for assertions that zod can't express. They are written into `predicates.gen.ts` of the validators. */
export class AssertionFunctions {
  readonly #checks: QuickChecks
  readonly #path: string

  constructor(schemas: ReadonlyMap<string, PlainSchema>, checks = new QuickChecks(schemas), path = '') {
    this.#checks = checks
    this.#path = path
  }

  /** The same collection of functions. New functions are named after this type. */
  inside(type: string): AssertionFunctions {
    return new AssertionFunctions(new Map(), this.#checks, type)
  }

  /** The function for an assertion, or an empty list if the assertion holds for every value. */
  of(assertion: Assertion): readonly AssertionTest[] {
    const name = this.#checks.assertion(assertion, `${this.#path}${pascalCase(assertion.assert)}`)
    return name === undefined ? [] : [{ name, message: MESSAGES[assertion.assert] }]
  }

  /** The source of all functions. */
  print(): string[] {
    return this.#checks.print()
  }
}

/** The message about a value that an assertion rejects. */
const MESSAGES: { readonly [assertion in Assertion['assert']]: string } = {
  not: 'must not fit the schema under `not`',
  allOf: 'must fit every schema of `allOf`',
  oneOf: 'must fit exactly one schema of `oneOf`',
  if: 'must fit `then` where it fits `if`, and `else` otherwise',
  values: 'must be one of the listed values',
  properties: 'has a property that its schema does not accept',
  required: 'lacks a required property',
  propertyNames: 'has a property with a name that is not allowed',
  dependentRequired: 'lacks a property that another one requires',
  dependentSchema: 'must fit the schema that one of its properties requires',
  items: 'has an item that its schema does not accept',
  contains: 'must have as many items that fit `contains` as the contract says',
  unevaluatedProperties: 'has a property that no schema knows',
  unevaluatedItems: 'has an item that no schema knows',
}
