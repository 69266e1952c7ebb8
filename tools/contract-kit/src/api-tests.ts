import { expect, it } from 'vitest'

import type { OperationDescriptor } from '@concord/runtime'

import type { GeneratedCode } from './generated-code.ts'

/** Tests that each generated API object sends every operation under its own name. */
export function testApi({ operations }: GeneratedCode, ...faces: readonly ((send: never) => object)[]): void {
  /** Returns the operation that it is called to send. */
  const echo = ((operation: OperationDescriptor) => operation) as never
  it.each(Object.keys(operations))('every API object of the client sends %s under its own name', (id) => {
    for (const face of faces) {
      const made = face(echo) as Record<string, (input: object) => unknown>
      expect(made[id]?.({})).toBe(operations[id])
    }
  })
}
