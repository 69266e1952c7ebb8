// The entries for Node.
import { createEmulator, type Emulator } from '@concord/emulator'
import { nodeWebhookListener } from '@concord/extraction/node'
import { loadSpec } from '@concord/contract'
import { nodeTransport } from '@concord/runtime/node'
import { fileStore } from '@concord/storage-auth/node'

export async function served(): Promise<string> {
  const emulator: Emulator = await createEmulator()
  const { extraction } = await emulator.serve()
  return extraction.baseUrl
}

export const tools = [nodeWebhookListener, loadSpec, nodeTransport({ connections: 2 }), fileStore]
