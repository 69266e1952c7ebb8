import type { MediaContext } from './context.ts'
import type { MediaState } from './control.ts'

/** Copies what the service knows, without secrets. */
export function readState({
  clock,
  organizations,
  tasks,
  knowledge,
  sessions,
  uploads,
}: MediaContext): MediaState {
  const state = {
    now: clock.now(),
    organizations: organizations.all().map((organization) => {
      const { organization: _, ...facts } = organizations.factsOf(organization)
      const { name, credits, tier } = organization
      return { name, tier: tier.name, ...facts, credits }
    }),
    tasks: tasks.all().map(({ body: _body, baseUrl: _base, inputProblem, outputs, ...task }) => ({
      ...task,
      inputProblem: inputProblem?.reason,
      outputs: outputs.map(({ file, ...output }) => ({
        ...output,
        contentType: file.contentType,
        sizeBytes: file.bytes.byteLength,
      })),
    })),
    avatars: knowledge.avatars().map(({ id, organization, fields, documentIds }) => ({
      id,
      name: fields['name'],
      documentIds,
      tokens: knowledge.tokensOf(organization, documentIds),
    })),
    documents: knowledge.documents().map(({ id, tokens }) => ({ id, tokens })),
    sessions: sessions
      .all()
      .map(({ id, status, avatarId, consumed }) => ({ id, status, avatarId, consumed })),
    uploads: uploads.all().map(({ id, uri, content, expiresAt }) => ({
      id,
      uri,
      contentType: content?.contentType,
      sizeBytes: content?.sizeBytes,
      expiresAt,
    })),
  }
  // A copy through JSON: what is absent stays absent, and nobody can change the service through it.
  return JSON.parse(JSON.stringify(state)) as MediaState
}
