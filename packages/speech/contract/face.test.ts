import { expect, it } from 'vitest'

import type { Client, OperationDescriptor } from '@concord/runtime'

import { speechApi, speechApiWithResponse } from '../src/gen/api.gen.ts'
import { generated } from './subject.ts'

/** Gives back the operation that it is asked to send. */
const echo = ((operation: OperationDescriptor) => operation) as never

it.each(Object.keys(generated.operations))('both faces of the client send %s under its own name', (id) => {
  const faces = [speechApi(echo), speechApiWithResponse(echo as Client['exchange'])] as unknown as Record<
    string,
    (input: object) => unknown
  >[]
  for (const face of faces) expect(face[id]?.({})).toBe(generated.operations[id])
})
