#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct program { char *source, *name, *log, *ptx; };
int nvrtcVersion(int *major, int *minor) { *major = 99; *minor = 1; return 0; }
const char *nvrtcGetErrorString(int status) { return status == 5 ? "INVALID_OPTION" : "OTHER"; }
int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int count,
                       const char **headers, const char **names) {
    struct program *made = calloc(1, sizeof *made);
    made->source = strdup(source);
    made->name = strdup(name);
    made->log = strdup("");
    *out = made;
    return count || headers || names ? 3 : 0;
}
int nvrtcDestroyProgram(struct program **p) { free(*p); *p = 0; return 0; }
static void say(struct program *p, const char *text) {
    p->log = malloc(strlen(p->name) + strlen(text) + 1);
    sprintf(p->log, "%s%s", p->name, text);
}
int nvrtcCompileProgram(struct program *p, int count, const char **options) {
    FILE *note = fopen(NOTE, "a");
    fputs("run\n", note);
    fclose(note);
    size_t room = strlen(p->source) + strlen(p->name) + 64;
    for (int i = 0; i < count; i++) room += strlen(options[i]) + 1;
    p->ptx = calloc(1, room);
    sprintf(p->ptx, ".file 1 \"%s\"\n", p->name);
    for (int i = 0; i < count; i++) {
        if (!strcmp(options[i], "-unknown")) { p->log = strdup("unrecognized option -unknown"); return 5; }
        strcat(strcat(p->ptx, options[i]), "\n");
    }
    strcat(p->ptx, p->source);
    if (strstr(p->source, "<host>")) { say(p, "(1): error: cannot open source file \"host\""); return 6; }
    if (strstr(p->source, "broken")) { say(p, "(1): error: broken\n"); return 6; }
    if (strstr(p->source, "crash")) return 11;
    say(p, "(1): warning: compiled\n");
    return 0;
}
int nvrtcGetPTXSize(struct program *p, size_t *size) { *size = strlen(p->ptx) + 1; return 0; }
int nvrtcGetPTX(struct program *p, char *out) { strcpy(out, p->ptx); return 0; }
int nvrtcGetProgramLogSize(struct program *p, size_t *size) { *size = strlen(p->log) + 1; return 0; }
int nvrtcGetProgramLog(struct program *p, char *out) { strcpy(out, p->log); return 0; }
