import { success } from '../../core/reply.ts'
import { bodyOf, callerOf, type MediaCall, type MediaContext, type MediaHandler } from '../state.ts'
import type { KnowledgeDocument } from '../model.ts'
import { deny } from '../denials.ts'
import { showDocument } from '../shapes.ts'

function findDocument(call: MediaCall, { knowledge }: MediaContext): KnowledgeDocument | undefined {
  return knowledge.findDocument(callerOf(call).name, call.parameters['id'] ?? '')
}

/** POST /v1/documents. */
function createDocument(context: MediaContext): MediaHandler {
  const { choices, knowledge, clock } = context
  return {
    handle(call) {
      const body = bodyOf(call)
      const { text } = choices.readBody({ operation: 'createDocument', body, nowMs: clock.now() }) ?? {}
      if (text === undefined) return deny(choices, 'document-unreadable')
      const document = knowledge.addDocument(callerOf(call).name, body, text)
      return success(200, document, showDocument(document))
    },
  }
}

/** GET /v1/documents/{id}. */
function getDocument(context: MediaContext): MediaHandler {
  const { choices } = context
  return {
    handle(call) {
      const document = findDocument(call, context)
      return document ? success(200, document, showDocument(document)) : deny(choices, 'document-not-found')
    },
  }
}

/** DELETE /v1/documents/{id}. */
function deleteDocument(context: MediaContext): MediaHandler {
  const { choices, knowledge } = context
  return {
    handle(call) {
      const document = findDocument(call, context)
      if (!document) return deny(choices, 'document-not-found')
      knowledge.deleteDocument(document)
      return success(200, document, {})
    },
  }
}

export function documentHandlers(context: MediaContext): Record<string, MediaHandler> {
  return {
    createDocument: createDocument(context),
    getDocument: getDocument(context),
    deleteDocument: deleteDocument(context),
  }
}
