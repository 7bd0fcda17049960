import type { OutgoingEvent } from '../../../foundation/payloads.ts';
import type { Handlers } from '../../../foundation/service.ts';
import type { progressOperations } from '../contract/progress.ts';
import { degradationFields, reasonFields } from '../reasons.ts';
import type { progressEvents } from '../resources/progress-event.ts';
import type { StoredProgressEvent } from '../store/progress-events.ts';
import { ownSession, type PipelineDependencies } from './pipeline-dependencies.ts';

/** An event as its readers see it. */
function wireEvent(
  sessionId: string,
  { id, at, event }: StoredProgressEvent,
): OutgoingEvent<typeof progressEvents> {
  const common = { session_id: sessionId, at: at.toISOString() };
  const sent = { id: String(id) };
  switch (event.event) {
    case 'session.status':
      return { ...sent, event: event.event, data: { ...common, ...event.data } };
    case 'component.started':
      return { ...sent, event: event.event, data: { ...common, ...event.data, status: 'running' } };
    case 'stage.started':
      return { ...sent, event: event.event, data: { ...common, ...event.data, status: 'running' } };
    case 'component.completed': {
      const { component, state, reason } = event.data;
      const words = reason === null ? { code: null, reason: null, reason_ro: null } : reasonFields(reason);
      return { ...sent, event: event.event, data: { ...common, component, status: state, ...words } };
    }
    case 'component.degraded': {
      const { component, ...degradation } = event.data;
      const data = { ...common, component, status: 'degraded', ...degradationFields(degradation) } as const;
      return { ...sent, event: event.event, data };
    }
    case 'verdict.final':
      return { ...sent, event: event.event, data: { ...common, status: 'completed', ...event.data } };
  }
}

async function* wireEvents(sessionId: string, events: AsyncIterable<StoredProgressEvent>) {
  for await (const event of events) yield wireEvent(sessionId, event);
}

/** The position after which to continue; without a valid id the stream begins with the first event. */
function placeOf(lastEventId: string | undefined): number {
  const id = /^\d{1,15}$/.test(lastEventId ?? '') ? Number(lastEventId) : 0;
  return Number.isSafeInteger(id) ? id : 0;
}

/** The handler of the stream of events. */
export function progressRoutes(dependencies: PipelineDependencies): Handlers<typeof progressOperations> {
  return {
    progress: async ({ params, lastEventId }, call) => {
      const { sessionId } = (await ownSession(dependencies, call, params.sessionId)).session;
      const events = dependencies.progressFeed.follow(sessionId, placeOf(lastEventId), call.signal);
      return wireEvents(sessionId, events);
    },
  };
}
