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
  // Made when it is first asked for: it takes longer than the rest of a service's start.
  let document: ReturnType<typeof openApi> | undefined;
  const read = () => {
    document ??= openApi(contract, prefix);
    return document;
  };
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
  app.get('/openapi.json', async () => read());
  const placeholder = {
    openapi: '3.1.0',
    info: { title: contract.title, version: contract.version },
    paths: {},
  };
  await app.register(fastifySwagger, { mode: 'static', specification: { document: placeholder as never } });
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO) },
    theme: { title: contract.title },
    transformSpecification: read,
    transformSpecificationClone: false,
  });
}
