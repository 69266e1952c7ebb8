import type { ContractSubject } from '@concord/contract'
import { clientSubject, type GeneratedCode, type TestedPackage } from '@concord/contract-kit'
import * as validators from '@concord/media-validators'

import * as checks from '../src/gen/checks.gen.ts'
import * as operations from '../src/gen/operations.gen.ts'
import { Media } from '../src/index.ts'

/** The generated code, unchanged. */
export const generated: GeneratedCode = {
  operations: operations as unknown as GeneratedCode['operations'],
  validators,
  checks,
}

const tested: TestedPackage = {
  service: 'media',
  generated,
  connect: ({ baseUrl, credentials: { apiSecret } }, options) =>
    new Media({ ...options, baseUrl, ...(apiSecret === undefined ? {} : { apiSecret }) }),
}

/** Returns this package's client in the form that the contract tests take. */
export function mediaSubject(code: GeneratedCode = generated): ContractSubject {
  return clientSubject(tested, code)
}
