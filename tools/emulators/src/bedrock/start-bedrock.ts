import { findRoute, type Route } from '../http/route.ts';
import type { Service, ServiceAnswer, ServiceRequest } from '../http/service.ts';
import { type RunningServer, startServer } from '../http/start-server.ts';
import { AwsFailure, failureOf, invalid, notFound } from './aws-failure.ts';
import { Buckets } from './buckets.ts';
import { type ConverseScript, converseRoutes } from './converse.ts';
import { DataSource, type DataSourceOptions, type Pace, type PlantedDocument, type Verdict } from './data-source.ts';
import { createDualServer } from './dual-server.ts';
import { deleteBody, getBody, ingestBody, listBody, readBody, retrieveBody } from './requests.ts';
import { retrieve, type Scoring } from './retrieve.ts';
import { checkSignature, signedService } from './signature.ts';

/** A knowledge base of the emulator. */
export interface EmulatedKnowledgeBase {
  /** 1 to 10 letters and digits. */
  readonly id: string;
  /** @default 'VECTOR' */
  readonly type?: 'VECTOR' | 'MANAGED' | 'KENDRA' | 'SQL';
  readonly dataSources: readonly DataSourceOptions[];
}

/** Options of {@link startBedrock}. */
export interface BedrockEmulatorOptions {
  /** @default a free port */
  readonly port?: number;
  /**
   * @default `KB123`, with the data sources `DS456` for custom documents and `DS789` for S3, and that of the guide,
   *   `KB12345678` with `DS12345678`
   */
  readonly knowledgeBases?: readonly EmulatedKnowledgeBase[];
  /** @default 'memories' */
  readonly buckets?: readonly string[];
  /**
   * How ingestion and deletion progress.
   *
   * @default 0: they are complete when the response arrives
   */
  readonly pace?: Pace;
  /** @default 'similarity' */
  readonly scoring?: Scoring;
  /**
   * The maximum number of results per page.
   *
   * @default 100
   */
  readonly pageSize?: number;
}

/** A running emulator of Bedrock Knowledge Bases, the required part of S3, and streams of the Converse API. */
export interface BedrockEmulator extends RunningServer {
  /** The configuration of AWS SDK clients: `new BedrockAgentClient(emulator.client)`. */
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
    readonly forcePathStyle: boolean;
  };
  /** Completes all pending ingestions and deletions. */
  settle(): void;
  /** Sets the ingestion result of documents from now on; `undefined` resets it. */
  judge(verdict: Verdict | undefined): void;
  /** Puts a document into the index without any checks. */
  plant(dataSourceId: string, document: PlantedDocument): void;
  /** The texts in the index of a data source, by document. */
  indexed(dataSourceId: string): Map<string, string>;
  /** The objects in the buckets, by URI. */
  objects(): Map<string, string>;
  /** Sets the script that answers for the model. Without one, the emulator echoes the last message. */
  answerWith(script: ConverseScript | undefined): void;
}

const DEFAULT_BASES: readonly EmulatedKnowledgeBase[] = [
  {
    id: 'KB123',
    dataSources: [
      { id: 'DS456', type: 'CUSTOM' },
      { id: 'DS789', type: 'S3' },
    ],
  },
  { id: 'KB12345678', dataSources: [{ id: 'DS12345678', type: 'CUSTOM' }] },
];

/**
 * Starts an emulator of Bedrock Knowledge Bases on 127.0.0.1, over HTTP/2 and HTTP/1.1. It keeps data in memory and refuses
 * requests that the published shapes don't allow.
 */
export async function startBedrock(options: BedrockEmulatorOptions = {}): Promise<BedrockEmulator> {
  const { knowledgeBases = DEFAULT_BASES, pace = 0, port } = options;
  let verdict: Verdict | undefined;
  let script: ConverseScript | undefined;
  const buckets = new Buckets(options.buckets ?? ['memories']);
  const context = { buckets, pace, verdict: () => verdict };
  const bases = knowledgeBases.map((base) => ({
    ...base,
    sources: base.dataSources.map((source) => new DataSource(base.id, source, context)),
  }));
  const sources = bases.flatMap((base) => base.sources);
  const sourceOf = (id: string) =>
    sources.find((source) => source.options.id === id) ?? raise(notFound('The data source'));
  const routes = [...routesOf(bases, options), ...converseRoutes(() => script)];
  const server = await startServer(serviceOf(routes, buckets), port, createDualServer);
  return Object.assign(server, {
    client: {
      endpoint: server.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' },
      forcePathStyle: true,
    },
    settle() {
      for (const source of sources) source.settle();
    },
    judge(next: Verdict | undefined) {
      verdict = next;
    },
    plant: (dataSourceId: string, document: PlantedDocument) => sourceOf(dataSourceId).plant(document),
    indexed: (dataSourceId: string) =>
      new Map([...sourceOf(dataSourceId).indexed()].map(([id, { text }]) => [id, text] as const)),
    objects: () => new Map(buckets.uris().map((uri) => [uri, buckets.read(uri) as string])),
    answerWith(next: ConverseScript | undefined) {
      script = next;
    },
  });
}

type Base = EmulatedKnowledgeBase & { readonly sources: readonly DataSource[] };

function routesOf(bases: readonly Base[], { scoring = 'similarity', pageSize = 100 }: BedrockEmulatorOptions) {
  const baseOf = (id = '') => {
    if (!/^[0-9a-zA-Z]{1,10}$/.test(id)) throw invalid('knowledgeBaseId must be up to 10 letters and digits.');
    return bases.find((base) => base.id === id) ?? raise(notFound('The knowledge base'));
  };
  const sourceOf = ([base, id]: readonly string[]) =>
    baseOf(base).sources.find((source) => source.options.id === id) ?? raise(notFound('The data source'));
  const documents = '/knowledgebases/:base/datasources/:source/documents';
  const routes: Route<ServiceAnswer>[] = [
    {
      method: 'GET',
      shape: '/knowledgebases/:base',
      answer: (_, [id]) => ({ status: 200, body: { knowledgeBase: describe(baseOf(id)) } }),
    },
    {
      method: 'POST',
      shape: '/knowledgebases/:base/retrieve',
      answer(request, [id]) {
        const { sources, type = 'VECTOR' } = baseOf(id);
        const body = retrieve(sources, readBody(retrieveBody, request), { type, scoring, pageSize });
        return { status: 200, body };
      },
    },
    {
      method: 'PUT',
      shape: documents,
      answer: (request, ids) => accepted(sourceOf(ids).ingest(readBody(ingestBody, request).documents)),
    },
    {
      method: 'POST',
      shape: `${documents}/deleteDocuments`,
      answer: (request, ids) => accepted(sourceOf(ids).delete(readBody(deleteBody, request).documentIdentifiers)),
    },
    {
      method: 'POST',
      shape: `${documents}/getDocuments`,
      answer: (request, ids) => {
        const details = sourceOf(ids).get(readBody(getBody, request).documentIdentifiers);
        return { status: 200, body: { documentDetails: details } };
      },
    },
    {
      method: 'POST',
      shape: documents,
      answer(request, ids) {
        readBody(listBody, request);
        return { status: 200, body: { documentDetails: sourceOf(ids).list() } };
      },
    },
  ];
  return routes;
}

function serviceOf(routes: readonly Route<ServiceAnswer>[], buckets: Buckets): Service {
  return {
    failure: (status, request) => failureOf(status, signedService(request)),
    answer(request) {
      const service = signedService(request);
      try {
        checkSignature(request);
        if (service === 's3') return buckets.answer(request);
        if (service !== 'bedrock')
          throw new AwsFailure(403, 'InvalidSignatureException', 'It is signed for another service.');
        return route(routes, request);
      } catch (error) {
        // Any other error is a bug in the emulator, which must show in the tests.
        const failure =
          error instanceof AwsFailure ? error : new AwsFailure(500, 'InternalServerException', String(error));
        return service === 's3' ? failure.xml : failure.json;
      }
    },
  };
}

function route(routes: readonly Route<ServiceAnswer>[], request: ServiceRequest): ServiceAnswer {
  const found = findRoute(routes, request);
  if (found !== undefined) return found.route.answer(request, found.parameters);
  throw new AwsFailure(404, 'UnknownOperationException', `${request.method} ${request.path} is not emulated.`);
}

function accepted(documentDetails: object[]): ServiceAnswer {
  return { status: 202, body: { documentDetails } };
}

function describe({ id, type = 'VECTOR' }: Base): object {
  const now = new Date().toISOString();
  return {
    knowledgeBaseId: id,
    name: id,
    knowledgeBaseArn: `arn:aws:bedrock:us-east-1:123456789012:knowledge-base/${id}`,
    roleArn: 'arn:aws:iam::123456789012:role/emulator',
    knowledgeBaseConfiguration: { type },
    status: 'ACTIVE',
    createdAt: now,
    updatedAt: now,
  };
}

function raise(error: Error): never {
  throw error;
}
