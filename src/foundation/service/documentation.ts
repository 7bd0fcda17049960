import fastifySwagger from '@fastify/swagger';
import fastifySwaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { Contract } from '../contract.ts';
import { LOGO, openApi } from '../openapi.ts';
import type { Platform } from '../platform.ts';

/** Adds /metrics, /openapi.json and /docs, which every service has; `prefix` is the path under which the gateway shows it. */
export async function addDocumentation(
  app: FastifyInstance,
  contract: Contract,
  prefix: string | undefined,
  { metrics }: Platform,
): Promise<void> {
  const document = openApi(contract, prefix);
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
  app.get('/openapi.json', async () => document);
  await app.register(fastifySwagger, { mode: 'static', specification: { document: document as never } });
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO) },
    theme: { title: contract.title },
  });
}
