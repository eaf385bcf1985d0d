// biome-ignore-all lint/suspicious/noExplicitAny: any field may be missing or of another type

/** An object of the Kubernetes API, or a part of one: its fields that contain other objects. */
export interface ApiObject {
  items?: ApiObject[];
  metadata?: ApiObject;
  spec?: ApiObject;
  status?: ApiObject;
  containers?: ApiObject[];
  ephemeralContainers?: ApiObject[];
  containerStatuses?: ApiObject[];
  ephemeralContainerStatuses?: ApiObject[];
  conditions?: Record<string, any>[];
  ports?: ApiObject[];
  matchExpressions?: ApiObject[];
  ownerReferences?: ApiObject[];
  selector?: ApiObject;
  state?: ApiObject;
  [field: string]: any;
}
